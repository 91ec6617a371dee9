package ai.molecule.proxy.policy;

import static ai.molecule.proxy.ProxyUnderTest.json;
import static ai.molecule.proxy.ProxyUnderTest.seen;
import static ai.molecule.proxy.ProxyUnderTest.serve;
import static ai.molecule.proxy.ProxyUnderTest.urlOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.registry.JudgeCall;
import ai.molecule.common.bus.registry.JudgeCall.Verdict;
import ai.molecule.proxy.ProxyUnderTest;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A rule about a tool holds where a workspace does by REST what the tool does. */
@ExtendWith(VertxExtension.class)
class RulingOverRestTest {

    private static final String ROOT = "the-admin-token";
    private static final String REFUSED = "403 {\"error\":\"the policy rule frozen of Lead refuses this: ask Kim\"}";

    private final Queue<String> passed = new ConcurrentLinkedQueue<>();

    @SuppressWarnings("NullAway.Init")
    private ProxyUnderTest proxy;

    @SuppressWarnings("NullAway.Init")
    private UUID workspace;

    @SuppressWarnings("NullAway.Init")
    private String bearer;

    @BeforeEach
    void start(Vertx vertx) {
        var owner = serve(
                vertx,
                request -> request.body().onSuccess(body -> {
                    passed.add(request.method() + " " + request.path() + " " + body);
                    json(request.response(), "{}");
                }));
        proxy = ProxyUnderTest.start(
                vertx, "ADMIN_TOKEN", ROOT, "REGISTRY_URL", urlOf(owner), "EVENTS_URL", urlOf(owner));
        workspace = proxy.agentSaying("{}");
        bearer = "Bearer " + proxy.platform.tokenOf(workspace);
    }

    @ParameterizedTest
    @CsvSource({"notify, send_message_to_user", "memories, commit_memory", "notify/, send_message_to_user"})
    void what_a_rule_refuses_of_a_tool_reaches_nobody_by_its_route(String route, String tool) {
        refuse(tool);

        await().untilAsserted(() -> assertThat(post(route, bearer)).isEqualTo(REFUSED));
        passed.clear();
        assertThat(post(route, bearer)).isEqualTo(REFUSED);
        assertThat(passed).isEmpty();
        await().untilAsserted(() -> assertThat(proxy.platform.rows.stream()
                        .filter(row -> row.activityType().equals("policy")))
                .singleElement()
                .satisfies(row -> assertThat(row.method()).isEqualTo("tools/call " + tool)));
    }

    @Test
    void delegating_without_waiting_is_a_tool_too() {
        refuse("delegate_task_async");

        await().untilAsserted(() -> assertThat(post("delegate", bearer)).isEqualTo(REFUSED));
    }

    @Test
    void people_and_other_tools_pass() {
        refuse("commit_memory");
        await().untilAsserted(() -> assertThat(post("memories", bearer)).isEqualTo(REFUSED));

        assertThat(post("memories", "Bearer " + ROOT)).isEqualTo("200 {}");
        assertThat(post("notify", bearer)).isEqualTo("200 {}");
        assertThat(passed)
                .contains(
                        "POST /workspaces/%s/memories {\"m\":1}".formatted(workspace),
                        "POST /workspaces/%s/notify {\"m\":1}".formatted(workspace));
    }

    @Test
    void without_rules_nothing_is_asked() {
        assertThat(post("notify", bearer)).isEqualTo("200 {}");

        assertThat(proxy.platform.judged).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"memories", "session-search?q=x"})
    void whatever_finds_memories_recalls_them(String route) {
        refuse("recall_memory");

        await().untilAsserted(() -> assertThat(get(route)).isEqualTo(REFUSED));
    }

    @Test
    void while_nobody_can_tell_what_is_no_delegation_is_refused_as_a_message_is() {
        proxy.platform.away = true;

        assertThat(post("a2a", bearer)).startsWith("503 ").contains("platform_unavailable");
        assertThat(post("notify", bearer)).startsWith("503 ").contains("platform_unavailable");
        assertThat(passed).isEmpty();
    }

    private void refuse(String tool) {
        var refused = new JudgeCall(workspace, null, "tools/call", tool);
        proxy.platform.rule(
                call -> call.equals(refused) ? List.of(new Verdict("frozen", "Lead", true, "ask Kim")) : List.of());
    }

    private String get(String route) {
        return seen(proxy.client
                .get("/workspaces/%s/%s".formatted(workspace, route))
                .putHeader("Authorization", bearer)
                .send()
                .await());
    }

    private String post(String route, String authorization) {
        return seen(proxy.post(
                "/workspaces/%s/%s".formatted(workspace, route), "{\"m\":1}", "Authorization", authorization));
    }
}
