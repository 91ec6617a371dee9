package ai.molecule.proxy.a2a;

import static ai.molecule.proxy.ProxyUnderTest.HELLO;
import static ai.molecule.proxy.ProxyUnderTest.json;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.CheckPassport;
import ai.molecule.common.bus.registry.IssuePassport;
import ai.molecule.common.db.Postgres;
import ai.molecule.proxy.ProxyUnderTest;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The passport that travels along with a message. */
@ExtendWith(VertxExtension.class)
class CarryingPassportsTest {

    private static final String HEADER = "X-Molecule-Passport";

    private final List<String> shown = new CopyOnWriteArrayList<>();

    @SuppressWarnings("NullAway.Init")
    private ProxyUnderTest proxy;

    @SuppressWarnings("NullAway.Init")
    private Vertx vertx;

    @SuppressWarnings("NullAway.Init")
    private UUID agent;

    private final UUID caller = UUID.randomUUID();

    @BeforeEach
    void start(Vertx vertx) {
        this.vertx = vertx;
        proxy = ProxyUnderTest.start(vertx);
        proxy.platform.passportRefusal = null;
        agent = proxy.agent(request -> request.body().onSuccess(body -> {
            shown.add(String.valueOf(request.getHeader(HEADER)));
            json(request.response(), "{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":{}}");
        }));
        proxy.platform.mayTalk(caller, agent);
    }

    @Test
    void a_persons_message_gets_a_first_one_which_is_asked_for_once_and_none_of_its_own_making() {
        proxy.send(agent, HELLO, HEADER, "made.by.myself");
        proxy.send(agent, HELLO);

        assertThat(shown).containsExactly("passport.1.of-" + agent, "passport.1.of-" + agent);
        assertThat(proxy.platform.passports)
                .containsExactly(IssuePassport.first(agent, "none", null, null, null, null));
    }

    @Test
    void an_agents_is_handed_on_as_the_targets() {
        proxy.send(agent, HELLO, "X-Workspace-ID", caller.toString(), HEADER, "the.callers.own");
        proxy.send(agent, HELLO, "X-Workspace-ID", caller.toString(), HEADER, "the.callers.own");
        proxy.send(agent, HELLO, "X-Workspace-ID", caller.toString());

        assertThat(shown).containsExactly("passport.1.of-" + agent, "passport.1.of-" + agent, "null");
        assertThat(proxy.platform.passports).containsExactly(IssuePassport.message(agent, caller, "the.callers.own"));
    }

    @Test
    void what_may_not_be_handed_on_does_not_reach_the_agent() {
        proxy.platform.passportRefusal = ApiError.forbidden("this would go in a circle: Kim → Lead → Lead");

        var refused = proxy.send(agent, HELLO, "X-Workspace-ID", caller.toString(), HEADER, "the.callers.own");

        assertThat(refused.statusCode()).isEqualTo(403);
        assertThat(refused.bodyAsString()).contains("in a circle: Kim → Lead → Lead");
        assertThat(shown).isEmpty();
    }

    @Test
    void the_row_of_a_message_names_the_passport_and_on_whose_behalf_it_went() {
        var id = UUID.randomUUID();
        proxy.platform.readable = Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(
                        "{\"sub\":\"person:kim\",\"jti\":\"%s\"}".formatted(id).getBytes(UTF_8));
        proxy.send(agent, HELLO);
        proxy.send(agent, HELLO, "X-Workspace-ID", agent.toString(), HEADER, "a." + proxy.platform.readable + ".b");

        await().untilAsserted(() -> assertThat(onBehalf()).containsExactly("person:kim " + id, "null null"));
    }

    private List<String> onBehalf() {
        var pool = Postgres.pool(vertx, proxy.databaseUrl(), "log");
        try {
            return pool
                    .query(
                            "SELECT on_behalf_of, passport_id FROM log.activity WHERE activity_type = 'a2a_receive' ORDER BY seq")
                    .execute()
                    .await()
                    .stream()
                    .map(row -> row.getString(0) + " " + row.getUUID(1))
                    .toList();
        } finally {
            pool.close().await();
        }
    }

    /** It was given before, and waits for its turn. */
    @Test
    void a_delegation_does_not_go_out_under_one_that_was_revoked_meanwhile() {
        proxy.platform.checked =
                new CheckPassport.Checked(CheckPassport.Standing.REVOKED, UUID.randomUUID(), "person:kim");
        String bearer = "Bearer " + proxy.platform.tokenOf(caller);

        var accepted = proxy.post(
                "/workspaces/" + caller + "/delegate",
                "{\"target_id\":\"%s\",\"task\":\"write\"}".formatted(agent),
                "Authorization",
                bearer,
                HEADER,
                "the.callers.own");

        assertThat(accepted.statusCode()).isEqualTo(202);
        String path = "/workspaces/" + caller + "/delegations";
        await().untilAsserted(() -> assertThat(proxy.client
                        .get(path)
                        .putHeader("Authorization", bearer)
                        .send()
                        .await()
                        .bodyAsString())
                .contains("\"status\":\"failed\"", "the passport was revoked"));
        assertThat(shown).isEmpty();
    }

    @Test
    void while_nobody_signs_a_person_is_heard_and_an_agent_that_has_one_waits() {
        proxy.platform.passportRefusal = ApiError.unavailable("no key");

        assertThat(proxy.send(agent, HELLO).statusCode()).isEqualTo(200);
        assertThat(proxy.send(agent, HELLO, "X-Workspace-ID", caller.toString(), HEADER, "the.callers.own")
                        .statusCode())
                .isEqualTo(503);
        assertThat(shown).containsExactly("null");
    }

    @Test
    void a_delegation_is_given_under_one_and_spends_no_more_than_it_has_left() {
        String bearer = "Bearer " + proxy.platform.tokenOf(caller);
        var accepted = proxy.post(
                "/workspaces/" + caller + "/delegate",
                "{\"target_id\":\"%s\",\"task\":\"write\",\"limit\":0.25}".formatted(agent),
                "Authorization",
                bearer,
                HEADER,
                "the.callers.own");

        assertThat(accepted.statusCode()).isEqualTo(202);
        await().untilAsserted(() -> assertThat(shown).containsExactly("passport.1.of-" + agent));
        var asked = proxy.platform.passports.getFirst();
        assertThat(asked.parent()).isEqualTo("the.callers.own");
        assertThat(asked.caller()).isEqualTo(caller);
        assertThat(asked.budget()).isEqualByComparingTo("0.25");
        assertThat(asked.toAsker()).isFalse();

        proxy.platform.passportRefusal = ApiError.forbidden("this would go in a circle: Kim → Lead → Lead");
        var circle = proxy.post(
                "/workspaces/" + caller + "/delegate",
                "{\"target_id\":\"%s\",\"task\":\"again\"}".formatted(agent),
                "Authorization",
                bearer,
                HEADER,
                "the.callers.own");
        assertThat(circle.statusCode()).isEqualTo(403);
        assertThat(circle.bodyAsString()).contains("in a circle");
    }
}
