package ai.molecule.proxy.frontdoor;

import static ai.molecule.proxy.ProxyUnderTest.HELLO;
import static ai.molecule.proxy.ProxyUnderTest.seen;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.proxy.ProxyUnderTest;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The same proxy at the port where only agents come in. */
@ExtendWith(VertxExtension.class)
class ComingInByTheAgentsDoorTest {

    @SuppressWarnings("NullAway.Init")
    private ProxyUnderTest proxy;

    @SuppressWarnings("NullAway.Init")
    private UUID agent;

    @BeforeEach
    void start(Vertx vertx) {
        proxy = ProxyUnderTest.start(vertx, "MOLECULE_AGENTS_PORT", "0");
        agent = proxy.agentSaying("{}");
    }

    @Test
    void who_says_nothing_of_itself_is_whom_its_token_says() {
        var caller = UUID.randomUUID();
        proxy.platform.mayTalk(caller, agent);
        String token = proxy.platform.tokenOf(caller);

        assertThat(seen(proxy.sendAtAgentsDoor(agent, HELLO, "Authorization", "Bearer " + token)))
                .isEqualTo("200 {}");

        await().untilAsserted(() -> assertThat(proxy.platform.rows).hasSize(1));
        assertThat(proxy.platform.rows.getFirst().sourceId()).isEqualTo(caller);
    }

    @Test
    void there_is_no_person_and_no_other() {
        String token = proxy.platform.tokenOf(UUID.randomUUID());

        assertThat(seen(proxy.sendAtAgentsDoor(agent, HELLO)))
                .isEqualTo("401 {\"error\":\"missing workspace auth token\"}");
        assertThat(seen(proxy.sendAtAgentsDoor(
                        agent, HELLO, "X-Workspace-ID", agent.toString(), "Authorization", "Bearer " + token)))
                .isEqualTo("401 {\"error\":\"missing workspace auth token\"}");
        assertThat(proxy.platform.rows).isEmpty();
    }
}
