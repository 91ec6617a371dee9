package ai.molecule.runtime.platform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.runtime.StandInPlatform;
import ai.molecule.runtime.agent.AgentExecutor;
import ai.molecule.runtime.agent.AgentFailure;
import ai.molecule.runtime.agent.Prompt;
import ai.molecule.runtime.agent.Reply;
import ai.molecule.runtime.agent.Skill;
import ai.molecule.runtime.tasks.IncomingMessage;
import ai.molecule.runtime.tasks.Tasks;
import ai.molecule.runtime.tasks.WorkMeter;
import ai.molecule.sdk.ClientConfig;
import ai.molecule.sdk.PlatformClient;
import ai.molecule.sdk.TokenFile;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An agent registers however long it takes, and says what it does as soon as that changes. */
class StayingInTouchTest {

    private static final Duration SELDOM = Duration.ofMinutes(5);

    @TempDir
    private Path home;

    private final WorkMeter meter = new WorkMeter();
    private final CountDownLatch release = new CountDownLatch(1);
    private final Tasks tasks = new Tasks(new Worker(release), meter, Clock.systemUTC(), 16L * 1024 * 1024);
    private StandInPlatform platform;
    private @Nullable PlatformLink link;

    @BeforeEach
    void startPlatform() throws Exception {
        platform = new StandInPlatform();
    }

    @AfterEach
    void stop() {
        release.countDown();
        if (link != null) {
            link.close();
        }
        platform.close();
    }

    @Test
    void registering_is_followed_by_a_heartbeat_at_once() {
        open(platform.url(), SELDOM);

        await().until(() -> !platform.heartbeats.isEmpty());

        assertThat(platform.registered("ws-1").url()).isEqualTo("http://127.0.0.1:9000");
        assertThat(platform.heartbeats.getFirst().path("active_tasks").asInt(-1))
                .isZero();
        assertThat(TokenFile.in(home).load()).contains("token-of-ws-1");
    }

    @Test
    void a_platform_that_comes_up_later_is_found() throws Exception {
        int port;
        try (var free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        open("http://127.0.0.1:" + port, SELDOM);

        try (var late = new StandInPlatform(port)) {
            await().until(() -> !late.heartbeats.isEmpty());
        }
    }

    @Test
    void a_platform_that_refuses_is_asked_again() {
        platform.refuseNext(1);

        open(platform.url(), SELDOM);

        await().until(() -> !platform.heartbeats.isEmpty());
        assertThat(platform.refusals).hasValue(1);
    }

    @Test
    void a_lost_heartbeat_is_sent_again_before_the_next_is_due() {
        open(platform.url(), SELDOM);
        await().until(() -> !platform.heartbeats.isEmpty());
        platform.refuseNext(1);

        begin("m1", "wait");

        await().untilAsserted(
                        () -> assertThat(last().path("active_tasks").asInt()).isEqualTo(1));
        assertThat(platform.refusals).hasValue(1);
    }

    @Test
    void heartbeats_go_on_when_nothing_happens() {
        open(platform.url(), Duration.ofSeconds(1));

        await().until(() -> platform.heartbeats.size() >= 3);
    }

    @Test
    void beginning_and_ending_a_task_are_told_without_waiting_for_the_interval() {
        open(platform.url(), SELDOM);
        await().until(() -> !platform.heartbeats.isEmpty());

        begin("m1", "wait" + " and see".repeat(10));

        await().untilAsserted(() -> {
            assertThat(last().path("active_tasks").asInt()).isEqualTo(1);
            assertThat(last().path("current_task").asText())
                    .hasSize(63)
                    .startsWith("wait and see")
                    .endsWith("...");
        });
        release.countDown();
        await().untilAsserted(() -> {
            assertThat(last().path("active_tasks").asInt()).isZero();
            assertThat(last().path("current_task").asText()).isEmpty();
        });
    }

    @Test
    void a_long_task_is_told_without_half_a_character_at_its_end() {
        open(platform.url(), SELDOM);

        begin("m1", "wait" + ".".repeat(55) + "😀 and see");

        await().untilAsserted(() ->
                assertThat(last().path("current_task").asText()).isEqualTo("wait" + ".".repeat(55) + "..."));
    }

    @Test
    void a_burst_of_work_is_told_in_few_heartbeats() {
        open(platform.url(), SELDOM);
        await().until(() -> !platform.heartbeats.isEmpty());
        begin("m0", "wait");
        await().until(() -> platform.heartbeats.size() == 2);

        for (int i = 1; i <= 200; i++) {
            begin("m" + i, "wait");
        }

        await().untilAsserted(
                        () -> assertThat(last().path("active_tasks").asInt()).isEqualTo(201));
        assertThat(platform.heartbeats).hasSizeLessThan(10);
    }

    @Test
    void failures_are_told_once() {
        open(platform.url(), SELDOM);
        await().until(() -> !platform.heartbeats.isEmpty());

        begin("m1", "fail");
        begin("m2", "wait");

        await().untilAsserted(() -> assertThat(platform.heartbeats).anySatisfy(beat -> {
            assertThat(beat.path("error_rate").asDouble()).isEqualTo(1.0);
            assertThat(beat.path("sample_error").asText()).isEqualTo("Agent error: no");
        }));
        release.countDown();
        await().untilAsserted(
                        () -> assertThat(last().path("active_tasks").asInt()).isZero());
        assertThat(last().path("error_rate").asDouble()).isZero();
        assertThat(last().path("sample_error").asText()).isEmpty();
    }

    @Test
    void every_heartbeat_says_what_the_agent_takes_over_and_whether_it_is_stuck() {
        var worker = new Worker(release);
        var wedged = new AtomicReference<>(Optional.<String>empty());
        var vitals = new Vitals(meter, wedged::get, Vitals.of(meter, worker).metadata());
        open(platform.url(), Duration.ofSeconds(1), vitals);
        await().until(() -> !platform.heartbeats.isEmpty());

        assertThat(last().path("runtime_metadata").toString())
                .isEqualTo("{\"capabilities\":{\"heartbeat\":false,\"scheduler\":false,\"session\":false,"
                        + "\"status_mgmt\":false,\"retry\":false,\"activity_decoration\":false,"
                        + "\"channel_dispatch\":false}}");
        assertThat(last().has("runtime_state")).isFalse();
        wedged.set(Optional.of("the model's session is lost"));

        await().until(() -> last().has("runtime_state"));
        assertThat(last().path("runtime_state").asText()).isEqualTo("wedged");
        assertThat(last().path("sample_error").asText()).isEqualTo("the model's session is lost");
    }

    @Test
    void pauses_between_attempts_double_and_stay_under_half_a_minute() {
        assertThat(Backoff.after(1, 0)).isEqualTo(Duration.ofSeconds(1));
        assertThat(Backoff.after(3, 0)).isEqualTo(Duration.ofSeconds(4));
        assertThat(Backoff.after(3, 1)).isEqualTo(Duration.ofSeconds(3));
        assertThat(Backoff.after(1_000, 0)).isEqualTo(Duration.ofSeconds(30));
    }

    private void open(String url, Duration interval) {
        open(url, interval, Vitals.of(meter, new Worker(release)));
    }

    private void open(String url, Duration interval, Vitals vitals) {
        var client = new PlatformClient(ClientConfig.of("ws-1", url, TokenFile.in(home)));
        var card = new ObjectMapper().createObjectNode().put("name", "one");
        link = PlatformLink.open(client, "http://127.0.0.1:9000", card, vitals, interval);
    }

    private JsonNode last() {
        return platform.heartbeats.getLast();
    }

    private void begin(String id, String text) {
        var message = new ObjectMapper().createObjectNode();
        message.putArray("parts").addObject().put("text", text);
        var incoming = new IncomingMessage(
                id, Optional.empty(), Optional.empty(), text, message, MissingNode.getInstance(), 0);
        tasks.start(tasks.accept(incoming), incoming);
    }

    private record Worker(CountDownLatch release) implements AgentExecutor {

        @Override
        public Skill skill() {
            return new Skill("work", "Work", "Works.", List.of());
        }

        @Override
        public void answer(Prompt prompt, Reply reply) throws InterruptedException {
            if (prompt.text().equals("fail")) {
                throw new AgentFailure("no");
            }
            release.await();
        }
    }
}
