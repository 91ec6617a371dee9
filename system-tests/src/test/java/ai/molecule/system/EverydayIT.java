package ai.molecule.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.testkit.Waits;
import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * What every user does, in the order of a day on one platform: the demo team's first conversation with a killed agent and an approval, a stream
 * that a client comes back to, a schedule, a backup, a restart and a restore. With {@code SplitConversationIT} it is the system suite of
 * {@code mvn verify}; all others run with {@code -Pfull}.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class EverydayIT {

    private static final String QUESTION = "Is the club calendar ready to release? One page, please.";

    @TempDir
    private static Path temp;

    private static Platform platform;
    private static CompletableFuture<Launcher.Result> conversation;

    @BeforeAll
    static void start() {
        platform = Platform.up(temp.resolve("data"));
        for (String name : List.of("Team Lead", "Researcher", "Tester", "Writer")) {
            await().until(() -> agents().anyMatch(agent -> isCalled(agent, name)));
            platform.awaitStatus(idOf(name), "online");
        }
    }

    @AfterAll
    static void stop() {
        if (platform != null) {
            platform.close();
        }
    }

    @Test
    @Order(1)
    void the_first_message_is_delegated_and_its_work_goes_on_when_an_agent_is_killed() {
        conversation = CompletableFuture.supplyAsync(() -> molecule("say", "Team Lead", QUESTION));
        String tester = idOf("Tester");
        await().until(() -> platform.get("/workspaces/" + tester + "/tasks").size() == 1);
        var process = platform.agentProcess(tester);

        process.destroyForcibly();

        await().until(() -> agents().anyMatch(agent -> isCalled(agent, "Tester")
                && agent.path("status").asText().equals("online")
                && platform.agentProcesses().noneMatch(one -> one.pid() == process.pid())));
    }

    @Test
    @Order(2)
    void the_approval_of_an_agent_is_in_the_inbox_and_its_decision_ends_the_conversation() {
        await().until(() -> molecule("inbox").out().contains("Writer asks: publish report.html"));
        String id = molecule("inbox").out().split(" ", 2)[0];

        assertThat(molecule("approve", id).exitCode()).isZero();

        var said = conversation
                .orTimeout(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .join();
        assertThat(said.exitCode()).as(said.err()).isZero();
        assertThat(said.out()).contains("46 of 48 checks pass");
        assertThat(molecule("inbox").out()).isEmpty();
    }

    @Test
    @Order(3)
    void a_client_that_comes_back_to_a_stream_gets_every_event_once() {
        try (var agent = new WordAgent(true)) {
            String id = platform.post(
                            201,
                            "/workspaces",
                            "{\"name\":\"Words\",\"external\":true,\"url\":\"" + agent.url() + "\"}")
                    .get("id")
                    .asText();
            var first = new StreamClient(platform, id, "1.0");
            await().until(() -> first.words().size() >= 5);

            var ids = List.copyOf(first.ids());
            var back = first.again();
            await().until(() -> back.words().size() >= 3);
            agent.finish();
            back.end.join();

            var positions = new ArrayList<Integer>();
            ids.forEach(each -> positions.add(positionOf(each)));
            back.ids().stream()
                    .filter(each -> !first.ids().subList(0, ids.size()).contains(each))
                    .forEach(each -> positions.add(positionOf(each)));
            assertThat(positions.stream().distinct().sorted().toList())
                    .isEqualTo(IntStream.rangeClosed(
                                    1, positions.stream().max(Integer::compare).orElseThrow())
                            .boxed()
                            .toList());
            assertThat(back.ids()).doesNotHaveDuplicates();
            assertThat(agent.sends).hasValue(1);
        }
    }

    @Test
    @Order(4)
    void a_schedule_asks_its_agent() {
        String echo = platform.create("Clock", "echo", null);
        platform.awaitStatus(echo, "online");
        String schedule = platform.post(
                        201,
                        "/workspaces/" + echo + "/schedules",
                        "{\"name\":\"often\",\"prompt\":\"what time is it?\",\"every_seconds\":10}")
                .get("id")
                .asText();

        await().untilAsserted(
                        () -> assertThat(platform.get("/workspaces/" + echo + "/schedules/" + schedule + "/history")
                                        .findValuesAsText("status"))
                                .contains("ok"));

        platform.delete("/workspaces/" + echo + "/schedules/" + schedule);
    }

    @Test
    @Order(5)
    void a_restart_and_a_restore_keep_everything() {
        String echo = idOf("Clock");
        platform.say(echo, "remember me");
        Path file = temp.resolve("backup.tar.gz");
        var backup = Launcher.run(
                "backup",
                file.toString(),
                "--with-key",
                "--data",
                platform.data().toString());
        assertThat(backup.exitCode()).as(backup.err()).isZero();

        platform.close();
        platform = Platform.up(temp.resolve("data"));
        isAllThere(echo);
        platform.close();

        var restored = Launcher.run(
                "restore", file.toString(), "--data", temp.resolve("elsewhere").toString());
        assertThat(restored.exitCode()).as(restored.err()).isZero();
        platform = Platform.up(temp.resolve("elsewhere"));
        isAllThere(echo);
    }

    private static void isAllThere(String echo) {
        // its status is at first that of before; who writes to it meanwhile is told that it restarts
        await().untilAsserted(
                        () -> assertThat(platform.say(echo, "still there?")).isEqualTo("Echo: still there?"));
        assertThat(platform.get("/workspaces/" + echo + "/activity").toString()).contains("remember me");
        assertThat(agents().map(agent -> agent.path("name").asText()))
                .contains("Team Lead", "Researcher", "Tester", "Writer", "Words", "Clock");
    }

    private static Stream<JsonNode> agents() {
        return StreamSupport.stream(platform.get("/workspaces").spliterator(), false);
    }

    private static boolean isCalled(JsonNode agent, String name) {
        return agent.path("name").asText().equals(name);
    }

    private static String idOf(String name) {
        return agents().filter(agent -> isCalled(agent, name))
                .findFirst()
                .orElseThrow()
                .path("id")
                .asText();
    }

    private static int positionOf(String id) {
        return Integer.parseInt(id.substring(id.lastIndexOf('-') + 1));
    }

    private static Launcher.Result molecule(String... words) {
        var all = new ArrayList<>(List.of(words));
        all.addAll(1, List.of("--data", platform.data().toString()));
        return Launcher.run(all.toArray(String[]::new));
    }
}
