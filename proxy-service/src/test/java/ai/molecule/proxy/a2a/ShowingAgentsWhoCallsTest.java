package ai.molecule.proxy.a2a;

import static ai.molecule.proxy.ProxyUnderTest.HELLO;
import static ai.molecule.proxy.ProxyUnderTest.json;
import static ai.molecule.proxy.ProxyUnderTest.seen;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.hints.WorkspaceChanged;
import ai.molecule.common.bus.registry.IssuePairToken;
import ai.molecule.proxy.ProxyUnderTest;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The pair token that an agent is shown with each message. */
@ExtendWith(VertxExtension.class)
class ShowingAgentsWhoCallsTest {

    private static final String ANSWER = "{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":{}}";

    private final List<String> shown = new CopyOnWriteArrayList<>();

    /** How the one token ends that the agent believes; empty for any. */
    private volatile String believed = "";

    @SuppressWarnings("NullAway.Init")
    private ProxyUnderTest proxy;

    @SuppressWarnings("NullAway.Init")
    private UUID agent;

    @BeforeEach
    void start(Vertx vertx) {
        proxy = ProxyUnderTest.start(vertx);
        proxy.platform.signature = "first";
        agent = proxy.agent(request -> request.body().onSuccess(body -> {
            String authorization = String.valueOf(request.getHeader("Authorization"));
            shown.add(authorization);
            if (authorization.endsWith(believed)) {
                json(request.response(), ANSWER);
            } else {
                request.response().setStatusCode(401).end("{\"error\":\"unauthorized\"}");
            }
        }));
    }

    @Test
    void it_names_caller_and_target_and_is_asked_for_once() {
        var caller = UUID.randomUUID();
        proxy.platform.mayTalk(caller, agent);

        proxy.send(agent, HELLO, "X-Workspace-ID", caller.toString());
        proxy.send(agent, HELLO, "X-Workspace-ID", caller.toString());
        proxy.send(agent, HELLO);

        assertThat(shown)
                .containsExactly(
                        "Bearer " + caller + "." + agent + ".first",
                        "Bearer " + caller + "." + agent + ".first",
                        "Bearer null." + agent + ".first");
        assertThat(proxy.platform.signed)
                .containsExactly(new IssuePairToken(agent, caller), new IssuePairToken(agent, null));
    }

    @Test
    void after_a_change_of_a_workspace_another_is_asked_for() {
        proxy.send(agent, HELLO);
        proxy.platform.signature = "second";

        proxy.platform.bus.publish(WorkspaceChanged.HINT, new WorkspaceChanged(UUID.randomUUID(), 2));

        await().untilAsserted(
                        () -> { // less than a token is used for
                            proxy.send(agent, HELLO);
                            assertThat(shown).last().asString().endsWith(".second");
                        });
    }

    @Test
    void an_agent_that_heard_of_a_change_first_is_called_once_more_with_another() {
        proxy.send(agent, HELLO);
        proxy.platform.signature = "second";
        believed = "second";

        assertThat(seen(proxy.send(agent, HELLO))).isEqualTo("200 " + ANSWER);

        assertThat(shown).hasSize(3);
    }

    @Test
    void one_that_hears_of_change_after_change_is_called_three_times_more_and_then_its_answer_stands() {
        believed = "nothing that is signed";
        proxy.platform.signAnew = true;

        assertThat(seen(proxy.send(agent, HELLO))).doesNotStartWith("200 ");

        assertThat(shown).hasSize(4).doesNotHaveDuplicates();
    }

    @Test
    void an_agent_that_refuses_what_there_is_is_called_once() {
        believed = "nothing that is signed";

        assertThat(seen(proxy.send(agent, HELLO))).doesNotStartWith("200 ");

        assertThat(shown).hasSize(1);
    }

    @Test
    void while_nobody_signs_any_more_the_last_one_is_shown_for_as_long_as_it_holds() {
        proxy.send(agent, HELLO);
        proxy.platform.signature = "";
        int asked = proxy.platform.signed.size();

        await().untilAsserted(
                        () -> { // less than a token is used for
                            proxy.platform.bus.publish(
                                    WorkspaceChanged.HINT, new WorkspaceChanged(UUID.randomUUID(), 2));
                            proxy.send(agent, HELLO);
                            assertThat(proxy.platform.signed).hasSizeGreaterThan(asked);
                        });
        proxy.send(agent, HELLO);

        assertThat(shown).hasSizeGreaterThan(2).allMatch(token -> token.endsWith(".first"));
    }

    @Test
    void while_nobody_signs_messages_go_on_without_and_nobody_is_asked_for_each() {
        proxy.platform.signature = "";

        assertThat(seen(proxy.send(agent, HELLO))).isEqualTo("200 " + ANSWER);
        assertThat(seen(proxy.send(agent, HELLO))).isEqualTo("200 " + ANSWER);

        assertThat(shown).containsExactly("null", "null");
    }
}
