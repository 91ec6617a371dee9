package ai.molecule.proxy.delegations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.registry.JudgeCall;
import ai.molecule.common.bus.registry.JudgeCall.Verdict;
import ai.molecule.common.policy.ToolRules;
import ai.molecule.proxy.ProxyUnderTest;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Delegations while the registry is away: a remembered verdict decides, and without one rules are asked before anything is sent. */
@ExtendWith(VertxExtension.class)
class JudgingDelegationsLaterTest {

    private static final String REFUSAL = "the policy rule frozen of Lead refuses this: ask Kim";

    @SuppressWarnings("NullAway.Init")
    private static Delegating work;

    @BeforeAll
    static void start(Vertx vertx) {
        work = Delegating.start(vertx);
    }

    @BeforeEach
    void anotherSource() {
        work.someoneElse();
    }

    @AfterEach
    void back() {
        work.platform.away = false;
        work.platform.rule(null);
    }

    @Test
    void what_a_rule_refuses_reaches_nobody_when_it_was_accepted_during_an_outage() {
        var peer = work.peerSaying("{\"result\":\"done\"}");
        work.platform.away = true;
        refuse(ToolRules.DELEGATE);
        int refusedBefore = work.platform.refused.get();

        String id = work.delegate(peer, "t");
        await().until(() -> work.platform.refused.get() > refusedBefore + 4); // accepting, and tries that did not count
        work.platform.away = false;

        assertThat(work.awaitEntry(id, "failed").path("error").asText()).isEqualTo(REFUSAL);
        assertThat(work.messages(id)).isZero();
    }

    @Test
    void what_no_rule_refuses_is_carried_out_after_the_outage() {
        var peer = work.peerSaying("{\"result\":\"done\"}");
        work.platform.away = true;
        refuse("commit_memory");

        String id = work.delegate(peer, "t");
        work.platform.away = false;

        work.awaitEntry(id, "completed");
        assertThat(work.platform.judged)
                .contains(new JudgeCall(work.source, null, JudgeCall.TOOL_CALL, ToolRules.DELEGATE));
    }

    @Test
    void a_remembered_verdict_decides_during_an_outage() {
        var peer = work.peerSaying("{\"result\":\"done\"}");
        refuse(ToolRules.DELEGATE);

        await().untilAsserted(
                        () -> { // again where more than the 2 s of a verdict passed between the two
                            work.platform.away = false;
                            assertThat(delegating(peer)).isEqualTo("403 {\"error\":\"" + REFUSAL + "\"}");
                            work.platform.away = true;
                            assertThat(delegating(peer)).isEqualTo("403 {\"error\":\"" + REFUSAL + "\"}");
                        });
    }

    private static void refuse(String tool) {
        var source = work.source;
        work.platform.rule(call -> source.equals(call.caller()) && call.tool().equals(tool)
                ? List.of(new Verdict("frozen", "Lead", true, "ask Kim"))
                : List.of());
    }

    private static String delegating(UUID peer) {
        return ProxyUnderTest.seen(work.post(
                "/workspaces/" + work.source + "/delegate", "{\"target_id\":\"" + peer + "\",\"task\":\"t\"}"));
    }
}
