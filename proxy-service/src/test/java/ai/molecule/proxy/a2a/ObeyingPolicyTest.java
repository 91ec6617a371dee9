package ai.molecule.proxy.a2a;

import static ai.molecule.proxy.ProxyUnderTest.HELLO;
import static ai.molecule.proxy.ProxyUnderTest.seen;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.activity.ActivityRow;
import ai.molecule.common.bus.registry.JudgeCall;
import ai.molecule.common.bus.registry.JudgeCall.Verdict;
import ai.molecule.proxy.ProxyUnderTest;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What rules of the policy say of messages is obeyed and written down. */
@ExtendWith(VertxExtension.class)
class ObeyingPolicyTest {

    private static final Verdict REFUSES = new Verdict("late", "Lead", true, "not after six");
    private static final Verdict WOULD_REFUSE = new Verdict("watch", "the organisation", false, "");
    private static final String REFUSED =
            "403 {\"error\":\"the policy rule late of Lead refuses this: not after six\"}";

    @SuppressWarnings("NullAway.Init")
    private ProxyUnderTest proxy;

    @SuppressWarnings("NullAway.Init")
    private UUID agent;

    @SuppressWarnings("NullAway.Init")
    private UUID caller;

    @BeforeEach
    void start(Vertx vertx) {
        proxy = ProxyUnderTest.start(vertx);
        agent = proxy.agentSaying("{}");
        caller = proxy.agentSaying("{}");
        proxy.platform.mayTalk(caller, agent);
    }

    @Test
    void without_rules_nothing_is_asked() {
        assertThat(from(caller)).isEqualTo("200 {}");
        assertThat(seen(proxy.send(agent, HELLO))).isEqualTo("200 {}");

        assertThat(proxy.platform.judged).isEmpty();
    }

    @Test
    void what_a_rule_refuses_reaches_nobody_and_is_written_down_once_a_minute() {
        proxy.platform.rule(call -> caller.equals(call.caller()) ? List.of(REFUSES) : List.of());

        await().untilAsserted(() -> assertThat(from(caller)).isEqualTo(REFUSED));
        assertThat(from(caller)).isEqualTo(REFUSED);
        assertThat(seen(proxy.send(agent, HELLO))).isEqualTo("200 {}"); // a person's

        await().untilAsserted(() -> assertThat(policyRows()).hasSize(1));
        var row = policyRows().getFirst();
        assertThat(row.workspaceId()).isEqualTo(agent);
        assertThat(row.sourceId()).isEqualTo(caller);
        assertThat(row.method()).isEqualTo("message/send");
        assertThat(row.status()).isEqualTo("refused");
        assertThat(row.summary()).isEqualTo("the policy rule late of Lead refuses this: not after six");
    }

    @Test
    void what_is_observed_is_let_through_and_written_down() {
        proxy.platform.rule(call -> List.of(WOULD_REFUSE));

        await().untilAsserted(() -> {
            assertThat(from(caller)).isEqualTo("200 {}");
            assertThat(policyRows()).hasSize(1);
        });

        assertThat(policyRows().getFirst().status()).isEqualTo("observed");
        assertThat(policyRows().getFirst().summary())
                .isEqualTo("the policy rule watch of the organisation would refuse this");
    }

    @Test
    void a_rule_is_asked_by_the_older_names_of_methods_whichever_version_asks() {
        proxy.platform.rule(call -> call.method().equals("tasks/cancel") ? List.of(REFUSES) : List.of());
        String cancel = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{\"id\":\"t-1\"}}";

        await().untilAsserted(() -> {
            assertThat(seen(proxy.send(agent, cancel.formatted("tasks/cancel"), "X-Workspace-ID", caller.toString())))
                    .isEqualTo(REFUSED);
            assertThat(seen(proxy.send(
                            agent,
                            cancel.formatted("CancelTask"),
                            "X-Workspace-ID",
                            caller.toString(),
                            "A2A-Version",
                            "1.0")))
                    .isEqualTo(REFUSED);
        });
        assertThat(from(caller)).isEqualTo("200 {}");
    }

    @Test
    void what_somebody_says_to_itself_no_rule_is_asked_about() {
        proxy.platform.rule(call -> List.of(REFUSES));
        await().untilAsserted(() -> assertThat(from(caller)).isEqualTo(REFUSED));

        assertThat(seen(proxy.send(agent, HELLO, "X-Workspace-ID", agent.toString())))
                .isEqualTo("200 {}");
    }

    @Test
    void a_rule_that_is_gone_refuses_no_more() {
        proxy.platform.rule(call -> List.of(REFUSES));
        await().untilAsserted(() -> assertThat(from(caller)).isEqualTo(REFUSED));

        proxy.platform.rule(null);

        await().untilAsserted(() -> assertThat(from(caller)).isEqualTo("200 {}"));
    }

    @Test
    void the_same_is_asked_once_in_two_seconds() {
        proxy.platform.rule(call -> List.of());
        await().untilAsserted(() -> {
            assertThat(from(caller)).isEqualTo("200 {}");
            assertThat(proxy.platform.judged).isNotEmpty();
        });

        assertThat(proxy.platform.judged).contains(new JudgeCall(caller, agent, "message/send", ""));
    }

    private String from(UUID workspace) {
        return seen(proxy.send(agent, HELLO, "X-Workspace-ID", workspace.toString()));
    }

    private List<ActivityRow> policyRows() {
        return proxy.platform.rows.stream()
                .filter(row -> row.activityType().equals("policy"))
                .toList();
    }
}
