package ai.molecule.system.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ai.molecule.system.Launcher;
import ai.molecule.system.Platform;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What docs/upgrades.md promises: a data folder of the version before is taken over, the version before runs beside this one, services roll
 * forward and back while people and agents go on, and what clients read there they read here. The version before is the tag that
 * {@code -Dmolecule.before} names, built in a worktree; in a clone without it this is skipped.
 */
class UpgradeWalk {

    private static final String BEFORE = System.getProperty("molecule.before", "v0.1.0");
    private static final Path ROOT = Launcher.SCRIPT.getParent();
    private static final Path WORKTREE = Path.of("target", "before").toAbsolutePath();
    private static final Map<String, String> ENVIRONMENT =
            Map.of("RATE_LIMIT", "10000000", "MOLECULE_DRAIN_SECONDS", "5", "MOLECULE_FINISH_SECONDS", "30");

    private static final Duration BUILD = Duration.ofMinutes(15);

    /** What is signed has no member that says no more than its absence (docs/adr/0087): false, in a card. */
    private static final String CARD = "/workspaces/%1$s/.well-known/agent-card.json";

    /** What clients of the version before read; %1$s is an agent's id, %2$d a position in the event log that was there before. */
    private static final List<String> READ = List.of(
            "/health",
            "/workspaces",
            "/workspaces/%1$s",
            "/workspaces/%1$s/activity?type=a2a_receive&limit=5",
            "/workspaces/%1$s/memories",
            "/workspaces/%1$s/budget",
            CARD,
            "/registry/%1$s/peers",
            "/settings/secrets",
            "/templates",
            "/events?limit=500&before=%2$d",
            "/approvals/pending",
            "/inbox",
            "/work",
            "/usage");

    @Test
    void services_roll_forward_and_back_beside_the_version_before(@TempDir Path data) throws Exception {
        Path older = before();
        String echo;
        List<String> events;
        Map<String, Set<String>> read;
        try (var platform = Platform.upBy(older, data, "--no-demo")) {
            echo = platform.create("Echo", "echo", null);
            platform.awaitStatus(echo, "online");
            // As those of the load: a row keeps what its client wrote.
            platform.post(200, "/workspaces/" + echo + "/a2a", SocketAgent.message("hello"));
            platform.post(201, "/workspaces/" + echo + "/approvals", "{\"action\":\"deploy\",\"reason\":\"asked\"}");
            platform.post(201, "/workspaces/" + echo + "/memories", "{\"content\":\"blue\",\"scope\":\"LOCAL\"}");
            platform.put("/settings/secrets", "{\"key\":\"KEPT\",\"value\":\"sealed\"}");
            await().until(() -> platform.get("/inbox").get("rows").size() > 0
                    && "done".equals(platform.get("/work").path(0).path("state").asText()));
            events = LogTable.of(platform).rows();
            read = shapes(echo, events.size(), platform::get);
        }
        Path olderLibraries = Launcher.libraries(older);
        try (var platform = Platform.up(ENVIRONMENT, data, "--no-demo", "--split");
                var owners = new Owners(platform, data);
                var one = owners.door(1);
                var two = owners.door(2);
                var doors = new Doors(one, two);
                var load = new Load(Client.Answer::platformUnavailable)) {
            // Given
            await().until(() -> doors.allReady() && owners.areReady());
            platform.awaitStatus(echo, "online");
            assertThat(LogTable.of(platform).rows()).containsAll(events);
            awaitRead(read, echo, events.size(), one, two);
            var agent = Agent.join(doors.client(), "Steady");
            var follower = new Follower(one.client.url, two.client.url);
            load.repeat(number -> doors.client().get("/workspaces/" + echo));
            load.repeat(number -> agent.heartbeat(doors.client()));
            load.repeat(
                    number -> doors.client().post("/workspaces/" + echo + "/a2a", SocketAgent.message("m" + number)));
            load.repeat(number -> doors.client().post("/workspaces", "{\"name\":\"New\",\"external\":true}"));
            awaitMore(load);
            Path ours = Launcher.libraries();

            // When: back, so that either stands beside the other, and forward again
            for (Path libraries : List.of(olderLibraries, ours)) {
                for (String service : List.of("registry", "events", "provisioner")) {
                    owners.restartSecondFrom(libraries, service);
                    awaitMore(load);
                }
                one.runFrom(libraries);
                one.restart();
                await().until(doors::allReady);
                awaitMore(load);
                awaitRead(read, echo, events.size(), one, two);
            }

            // Then
            load.close();
            assertThat(load.wrong()).isEmpty();
            assertThat(load.refused()).isLessThan(load.succeeded() / 100);
            assertThat(platform.status(echo)).isEqualTo("online");
            LogTable.of(platform).awaitFollowed(follower);
            follower.close();
            System.out.printf(
                    "beside %s: %d requests done, %d to be sent again, %d events in order over %d connections%n",
                    BEFORE,
                    load.succeeded(),
                    load.refused(),
                    follower.recorded().size(),
                    follower.connections());
        }
    }

    private interface Reading {
        JsonNode get(String path) throws IOException;
    }

    /** By path, what it shows. */
    private static Map<String, Set<String>> shapes(String agent, long position, Reading platform) throws IOException {
        Map<String, Set<String>> shapes = new LinkedHashMap<>();
        for (String path : READ) {
            String at = path.formatted(agent, position + 1);
            shapes.put(at, shapeOf(platform.get(at), path.equals(CARD)));
        }
        return shapes;
    }

    /** Whichever door is asked, and whichever version answers behind it: what was there under a name is there under that name. */
    private static void awaitRead(Map<String, Set<String>> read, String agent, long position, Replica... doors) {
        for (var door : doors) {
            await().untilAsserted(() -> {
                var now = shapes(agent, position, path -> door.client.get(path).json());
                read.forEach((path, shape) ->
                        assertThat(now.get(path)).as("what %s shows", path).containsAll(shape));
            });
        }
    }

    private static void awaitMore(Load load) {
        int before = load.succeeded();
        await().until(() -> load.succeeded() >= before + 50);
    }

    /** Its launcher. */
    private static Path before() throws IOException {
        assumeTrue(
                git("rev-parse", "--verify", "--quiet", "refs/tags/" + BEFORE) == 0,
                () -> "this clone has no tag " + BEFORE + ", so there is no version before");
        if (!Files.exists(WORKTREE.resolve("molecule"))) {
            git("worktree", "prune");
            assertThat(git("worktree", "add", "--detach", WORKTREE.toString(), BEFORE))
                    .isZero();
        }
        Path launcher = WORKTREE.resolve("molecule");
        assertThat(run(BUILD, List.of(launcher.toString(), "--version"))).isZero(); // which builds it
        return launcher;
    }

    private static int git(String... arguments) throws IOException {
        var command = new ArrayList<>(List.of("git", "-C", ROOT.toString()));
        command.addAll(List.of(arguments));
        return run(Duration.ofMinutes(1), command);
    }

    private static int run(Duration patience, List<String> command) throws IOException {
        var process = new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            return process.waitFor(patience.toSeconds(), TimeUnit.SECONDS) ? process.exitValue() : -1;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return -1;
        }
    }

    /** Each member by its path and the kind of its value, whatever stands in it: {@code /0/name STRING}. Nothing of null. */
    private static Set<String> shapeOf(JsonNode json, boolean noneIsFalse) {
        var shape = new TreeSet<String>();
        shape("", json, noneIsFalse, shape);
        return shape;
    }

    private static void shape(String path, JsonNode json, boolean noneIsFalse, Set<String> shape) {
        if (json.isObject()) {
            json.properties()
                    .forEach(member -> shape(path + "/" + member.getKey(), member.getValue(), noneIsFalse, shape));
        } else if (json.isArray()) {
            json.forEach(each -> shape(path + "/*", each, noneIsFalse, shape));
        } else if (!json.isNull() && (json.asBoolean(true) || !noneIsFalse)) {
            shape.add(path + " " + json.getNodeType());
        }
    }
}
