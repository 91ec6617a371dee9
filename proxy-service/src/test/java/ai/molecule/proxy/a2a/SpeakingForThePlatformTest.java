package ai.molecule.proxy.a2a;

import static ai.molecule.proxy.ProxyUnderTest.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.ApiError;
import ai.molecule.common.activity.ActivityRow;
import ai.molecule.common.bus.proxy.SendAsSystem;
import ai.molecule.common.bus.proxy.SendAsSystem.Sent;
import ai.molecule.common.json.Json;
import ai.molecule.common.testing.TestStores;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.proxy.ProxyUnderTest;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@code proxy.send-as-system}: what the platform has to say to an agent. */
@ExtendWith(VertxExtension.class)
class SpeakingForThePlatformTest {

    private static final UUID MESSAGE = UUID.fromString("7d1b4b8e-7d0c-4f0a-9a57-0b3d0c0f5a11");
    private static final String CHAT =
            "{\"method\":\"message/send\",\"params\":{\"message\":{\"role\":\"user\",\"parts\":[{\"kind\":\"text\",\"text\":\"hi\"}]}}}";
    private static final String ANSWER = "{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":{\"parts\":[]}}";

    @SuppressWarnings("NullAway.Init")
    private static ProxyUnderTest proxy;

    @BeforeAll
    static void start(Vertx vertx) {
        proxy = ProxyUnderTest.start(vertx, "A2A_CALLER_WAIT_SECONDS", "3");
    }

    @Test
    void the_agent_gets_one_message_from_the_platform_and_the_call_its_answer() {
        var received = new CompletableFuture<String>();
        var headers = new CompletableFuture<MultiMap>();
        var agent = proxy.agent(request -> request.body().onSuccess(body -> {
            received.complete(body.toString());
            headers.complete(request.headers());
            json(request.response(), ANSWER);
        }));

        assertThat(say(agent)).isEqualTo(new Sent(true));

        var envelope = Json.stored(received.join());
        assertThat(envelope.path("jsonrpc").asText()).isEqualTo("2.0");
        assertThat(envelope.path("method").asText()).isEqualTo("message/send");
        assertThat(envelope.at("/params/message").toString())
                .isEqualTo("{\"role\":\"user\",\"messageId\":\"" + MESSAGE
                        + "\",\"parts\":[{\"kind\":\"text\",\"text\":\"you were restarted\\n\"}],"
                        + "\"metadata\":{\"layer\":1}}");
        assertThat(headers.join().get("X-Molecule-Target")).isEqualTo(agent.toString());
        assertThat(headers.join().contains("X-Workspace-ID")).isFalse();
    }

    @Test
    void it_is_nobodys_activity_and_no_part_of_the_chat() {
        var agent = proxy.agentSaying(ANSWER);

        say(agent);
        proxy.post("/workspaces/" + agent + "/a2a", CHAT);

        await().until(() ->
                rowsOf(agent).stream().anyMatch(row -> row.activityType().equals("a2a_receive")));
        assertThat(rowsOf(agent))
                .hasSize(1)
                .noneMatch(row -> String.valueOf(row.summary()).contains("system:"));
        assertThat(proxy.platform.live.stream().filter(event -> agent.equals(event.workspaceId())))
                .hasSizeLessThanOrEqualTo(1); // the chat's
    }

    @Test
    void an_agent_that_works_on_has_the_message() {
        var working = new CompletableFuture<HttpServerRequest>();
        var agent = proxy.agent(request -> request.body().onSuccess(body -> working.complete(request)));

        assertThat(say(agent)).isEqualTo(new Sent(false));
        json(working.join().response(), ANSWER);
    }

    @Test
    void an_agent_without_capacity_is_not_waited_for() {
        var agent = proxy.agent(request -> request.body()
                .onSuccess(body -> request.response().setStatusCode(503).end()));

        assertThatThrownBy(() -> say(agent)).isInstanceOfSatisfying(ApiError.class, error -> {
            assertThat(error.kind()).isEqualTo(ApiError.Kind.UNAVAILABLE);
            assertThat(error.details()).containsEntry("busy", true).doesNotContainKey("delivered");
        });
    }

    @Test
    void an_agent_that_errs_or_is_not_reached_fails_the_call_which_says_whether_it_has_the_message() {
        var erring = proxy.agent(request -> request.body()
                .onSuccess(body -> request.response().setStatusCode(500).end()));
        var gone = proxy.platform.workspaceAt("http://127.0.0.1:" + TestStores.freePort());

        assertThatThrownBy(() -> say(erring)).isInstanceOfSatisfying(ApiError.class, error -> {
            assertThat(error.kind()).isEqualTo(ApiError.Kind.BAD_GATEWAY);
            assertThat(error.details()).containsEntry("delivered", true);
        });
        assertThatThrownBy(() -> say(gone)).isInstanceOfSatisfying(ApiError.class, error -> {
            assertThat(error.kind()).isEqualTo(ApiError.Kind.BAD_GATEWAY);
            assertThat(error.details()).isEmpty();
        });
    }

    @Test
    void the_checks_of_any_message_hold_except_who_may_talk() {
        var platform = proxy.platform;
        var starting = platform.workspace("", true, WorkspaceStatus.PROVISIONING, false);
        var broke = platform.workspace("http://127.0.0.1:1", true, WorkspaceStatus.ONLINE, true);
        var fetching = platform.workspaceAt("remote://no-inbound");

        assertThat(List.of(UUID.randomUUID(), starting, broke, fetching))
                .extracting(this::refusal)
                .containsExactly(
                        "NOT_FOUND workspace not found {}",
                        "UNAVAILABLE workspace has no URL {status=provisioning}",
                        "BUDGET_EXCEEDED workspace budget limit exceeded {}",
                        "CONFLICT workspace fetches its messages {}");
    }

    private String refusal(UUID target) {
        try {
            return say(target).toString();
        } catch (ApiError error) {
            return error.kind() + " " + error.publicMessage() + " " + error.details();
        }
    }

    private static Sent say(UUID target) {
        return Objects.requireNonNull(proxy.platform
                .bus
                .call(
                        SendAsSystem.CONTRACT,
                        new SendAsSystem(
                                target, "restart-context", MESSAGE, "you were restarted\n", Map.of("layer", 1)))
                .await());
    }

    private static List<ActivityRow> rowsOf(UUID target) {
        return proxy.platform.rows.stream()
                .filter(row -> row.workspaceId().equals(target))
                .toList();
    }
}
