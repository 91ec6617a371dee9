package ai.molecule.runtime.a2a;

import static ai.molecule.runtime.a2a.AgentUnderTest.WORKSPACE;
import static ai.molecule.runtime.a2a.AgentUnderTest.message;
import static ai.molecule.runtime.a2a.AgentUnderTest.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.net.SocketAddress;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who calls an agent shows a pair token, which the agent checks by itself. */
class ShowingPairTokensTest {

    private static final String PEER = "ws-2";

    @Nested
    class WhereOneIsNeeded {

        @RegisterExtension
        private final AgentUnderTest agent = new AgentUnderTest(CallerProof.PAIR_TOKEN);

        @Test
        void the_peer_it_was_issued_for_and_the_platform_are_heard() throws Exception {
            assertThat(call(agent, agent.platform.token(PEER, WORKSPACE), PEER).statusCode())
                    .isEqualTo(200);
            assertThat(call(agent, agent.platform.token("platform", WORKSPACE), "")
                            .statusCode())
                    .isEqualTo(200);
            assertThat(agent.executor.runs).hasValue(2);
        }

        @Test
        void nobody_else_is_heard() throws Exception {
            assertThat(call(agent, "", PEER).statusCode()).isEqualTo(401);
            assertThat(call(agent, AgentUnderTest.TOKEN, WORKSPACE).statusCode())
                    .isEqualTo(401);
            assertThat(call(agent, new SigningKey().token(PEER, WORKSPACE), PEER)
                            .body())
                    .contains("not the platform's");
            assertThat(call(agent, agent.platform.token(PEER, "ws-3"), PEER).body())
                    .contains("issued for another workspace");
            assertThat(agent.executor.runs).hasValue(0);
        }

        @Test
        void who_shows_it_is_who_it_says_and_no_person() throws Exception {
            String token = agent.platform.token(PEER, WORKSPACE);

            assertThat(call(agent, token, "ws-3").body()).contains("of another caller");
            assertThat(call(agent, token, "").body()).contains("of another caller");
            assertThat(call(agent, agent.platform.token("platform", WORKSPACE), PEER)
                            .statusCode())
                    .isEqualTo(401);
        }

        @Test
        void the_card_is_open_and_the_transcript_is_for_its_own_token_and_the_platform() throws Exception {
            assertThat(agent.exchange(HttpRequest.newBuilder(agent.url("/.well-known/agent-card.json")))
                            .statusCode())
                    .isEqualTo(200);
            assertThat(agent.exchange(HttpRequest.newBuilder(agent.url("/transcript"))
                                    .header("Authorization", "Bearer " + agent.platform.token(PEER, WORKSPACE)))
                            .statusCode())
                    .isEqualTo(401);
            assertThat(agent.exchange(HttpRequest.newBuilder(agent.url("/transcript"))
                                    .header("Authorization", "Bearer " + agent.platform.token("platform", WORKSPACE)))
                            .statusCode())
                    .isEqualTo(200);
        }

        @Test
        void while_the_platforms_keys_cannot_be_had_nobody_is_heard_and_the_platform_told_to_come_again()
                throws Exception {
            agent.platform.away = true;

            var answer = call(agent, agent.platform.token(PEER, WORKSPACE), PEER);

            assertThat(answer.statusCode()).isEqualTo(503);
            assertThat(answer.headers().firstValue("Retry-After")).isPresent();
            assertThat(answer.body()).contains("who calls cannot be told yet");
            assertThat(agent.executor.runs).hasValue(0);
        }
    }

    @Nested
    class WhereNoneIsNeededOnItsOwnMachine {

        @RegisterExtension
        private final AgentUnderTest agent = new AgentUnderTest(CallerProof.ELSEWHERE);

        @Test
        void one_that_is_shown_is_checked_all_the_same() throws Exception {
            assertThat(call(agent, "", PEER).statusCode()).isEqualTo(200);
            assertThat(call(agent, "an-opaque-token", PEER).statusCode()).isEqualTo(200);
            assertThat(call(agent, agent.platform.token(PEER, WORKSPACE), PEER).statusCode())
                    .isEqualTo(200);
            assertThat(call(agent, agent.platform.token(PEER, "ws-3"), PEER).statusCode())
                    .isEqualTo(401);
            assertThat(call(agent, agent.platform.token(PEER, WORKSPACE) + "x", PEER)
                            .statusCode())
                    .isEqualTo(401);
        }

        @Test
        void while_the_platforms_keys_cannot_be_had_who_might_have_shown_none_is_heard() throws Exception {
            agent.platform.away = true;

            assertThat(call(agent, agent.platform.token(PEER, WORKSPACE), PEER).statusCode())
                    .isEqualTo(200);
        }
    }

    @Nested
    class UnderAPassport {

        @RegisterExtension
        private final AgentUnderTest agent = new AgentUnderTest(CallerProof.PAIR_TOKEN);

        @Test
        void what_is_for_this_agent_is_heard_and_nothing_else() throws Exception {
            assertThat(under(agent.platform.passport(WORKSPACE)).statusCode()).isEqualTo(200);

            var anothers = under(agent.platform.passport("ws-3"));
            assertThat(anothers.statusCode()).isEqualTo(403);
            assertThat(anothers.body()).contains("the passport is issued for another workspace");
            // With a key of nobody known: the platform told its keys a moment ago and is not asked again for each
            // stranger's.
            assertThat(under(new SigningKey().passport(WORKSPACE)).statusCode()).isEqualTo(503);
            assertThat(under(agent.platform.token(PEER, WORKSPACE)).body()).contains("signed as something else");
            assertThat(agent.executor.runs).hasValue(1);
        }

        @Test
        void it_is_no_credential() throws Exception {
            var asked = agent.post(request("message/send", message("m1", "hi")))
                    .header("X-Molecule-Passport", agent.platform.passport(WORKSPACE));

            assertThat(agent.exchange(asked).statusCode()).isEqualTo(401);
            assertThat(agent.exchange(asked.header("Authorization", "Bearer " + agent.platform.passport(WORKSPACE)))
                            .statusCode())
                    .isEqualTo(401);
            assertThat(agent.executor.runs).hasValue(0);
        }

        private HttpResponse<String> under(String passport) throws Exception {
            return agent.exchange(agent.post(request("message/send", message("m" + System.nanoTime(), "hi")))
                    .header("Authorization", "Bearer " + agent.platform.token(PEER, WORKSPACE))
                    .header("X-Workspace-ID", PEER)
                    .header("X-Molecule-Passport", passport));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1,true",
        "127.0.0.2,true",
        "::1,true",
        "::ffff:127.0.0.1,true",
        "192.0.2.7,false",
        "172.17.0.1,false",
        "::,false",
        "fd00::2,false"
    })
    void who_shows_none_is_heard_from_the_same_machine_only(String address, boolean heard) {
        assertThat(Access.isOfThisMachine(SocketAddress.inetSocketAddress(40_000, address)))
                .isEqualTo(heard);
    }

    private static HttpResponse<String> call(AgentUnderTest agent, String token, String caller) throws Exception {
        var asked = agent.post(request("message/send", message("m" + System.nanoTime(), "hi")));
        if (!token.isEmpty()) {
            asked.header("Authorization", "Bearer " + token);
        }
        if (!caller.isEmpty()) {
            asked.header("X-Workspace-ID", caller);
        }
        return agent.exchange(asked);
    }
}
