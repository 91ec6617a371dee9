package ai.molecule.registry.suspicions;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.bus.provisioner.RestartSilent;
import ai.molecule.common.net.AddressRules;
import ai.molecule.common.net.SafeDialer;
import ai.molecule.registry.freeze.PgFreezeStore;
import ai.molecule.registry.freeze.RestartFreeze;
import ai.molecule.registry.liveness.SilentOrganisation;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Agents of ours that fell silent, asked over real connections. */
@ExtendWith(VertxExtension.class)
@SuppressWarnings("NullAway.Init")
class AskingSilentAgentsTest {

    private static final Duration PROBES = Duration.ofSeconds(20);

    private final List<RestartSilent> restarts = new CopyOnWriteArrayList<>();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private Vertx vertx;
    private SilentOrganisation org;
    private SafeDialer dialer;
    private RestartFreeze freeze;
    private SilentAgents agents;

    @BeforeEach
    void open(Vertx vertx) {
        this.vertx = vertx;
        org = new SilentOrganisation(vertx);
        dialer = new SafeDialer(vertx, AddressRules.forDialling(false, false), Duration.ofSeconds(2));
        freeze = new RestartFreeze(new PgFreezeStore(org.service.database()), () -> Future.succeededFuture(true));
        agents = replica();
        org.service
                .bus()
                .serve(RestartSilent.CONTRACT, request -> {
                    restarts.add(request);
                    return Future.succeededFuture(new RestartSilent.Answer(true));
                })
                .await();
    }

    @AfterEach
    void close() {
        dialer.close().await();
        org.service.close().await();
    }

    @Test
    void one_that_does_not_answer_is_replaced_after_three_probes_also_by_another_replica() {
        var id = suspect(silentPort());

        agents.run().await();
        pass(agents, Duration.ofSeconds(10));
        assertThat(restarts).isEmpty();
        pass(replica(), Duration.ofSeconds(10));

        assertThat(restarts).containsExactly(new RestartSilent(id, 1));
    }

    @Test
    void one_that_answers_stays_offline_and_is_replaced_after_five_minutes_in_which_others_were_heard() {
        var id = suspect(answering());
        var other = org.workspace("online", "langgraph", null);

        passHearing(other, Duration.ofSeconds(200));
        assertThat(asked).containsExactly("/.well-known/agent-card.json for " + id);
        assertThat(org.status(id)).isEqualTo("offline");
        assertThat(restarts).isEmpty();
        passHearing(other, Duration.ofSeconds(60));

        assertThat(restarts).containsExactly(new RestartSilent(id, 1));
    }

    @Test
    void while_nobody_is_heard_those_who_answer_are_left_alone_and_get_a_while_after_that_too() {
        var id = suspect(answering());
        var other = org.workspace("offline", "langgraph", null);

        pass(agents, Duration.ofMinutes(30));
        assertThat(restarts).isEmpty();
        passHearing(other, Duration.ofSeconds(50));
        assertThat(restarts).isEmpty();
        passHearing(other, Duration.ofSeconds(60));

        assertThat(restarts).contains(new RestartSilent(id, 1));
    }

    @Test
    void while_nobody_is_heard_those_who_stop_answering_are_replaced() {
        var server = vertx.createHttpServer()
                .requestHandler(request -> request.response().end())
                .listen(0, "127.0.0.1")
                .await();
        var id = suspect(server.actualPort());
        pass(agents, Duration.ofMinutes(6));
        assertThat(restarts).isEmpty();

        server.close().await();
        pass(agents, Duration.ofMinutes(2));

        assertThat(restarts).contains(new RestartSilent(id, 1));
    }

    @Test
    void another_agent_behind_the_same_port_is_no_sign_of_life() {
        suspect(agent(request -> request.response().setStatusCode(421).end()));

        pass(agents, PROBES);

        assertThat(restarts).hasSize(1);
    }

    @Test
    void one_that_accepts_and_says_nothing_is_given_up_after_two_seconds() {
        suspect(agent(request -> {}));

        agents.run().await();

        assertThat(org.sql("SELECT unanswered FROM suspicions")
                        .iterator()
                        .next()
                        .getInteger(0))
                .isOne();
    }

    @Test
    void one_that_is_heard_again_or_replaced_or_paused_is_no_longer_suspected() {
        for (String change : List.of("status = 'online'", "incarnation = 2", "desired = 'paused'")) {
            var id = suspect(silentPort());
            agents.run().await();
            org.sql("UPDATE workspaces SET " + change + " WHERE id = $1", id);

            pass(agents, PROBES);
        }

        assertThat(restarts).isEmpty();
        assertThat(org.suspected()).isEmpty();
    }

    @Test
    void while_restarts_are_frozen_nobody_is_replaced_and_afterwards_they_are() {
        var id = suspect(silentPort());
        org.sql("UPDATE restart_freeze SET since = $1", org.clock.instant().atOffset(java.time.ZoneOffset.UTC));

        pass(agents, PROBES.plus(PROBES));
        assertThat(restarts).isEmpty();
        org.sql("UPDATE restart_freeze SET since = NULL");
        agents.run().await();

        assertThat(restarts).containsExactly(new RestartSilent(id, 1));
    }

    private SilentAgents replica() {
        return new SilentAgents(
                new PgSuspicionStore(org.service.database()),
                new CardProbe(dialer),
                freeze,
                org.service.bus(),
                Duration.ofSeconds(60));
    }

    private void pass(SilentAgents running, Duration time) {
        var step = Duration.ofSeconds(time.toMinutes() > 0 ? 10 : 1);
        for (var left = time; left.isPositive(); left = left.minus(step)) {
            org.advance(step);
            running.run().await();
        }
    }

    private UUID suspect(int port) {
        var id = org.workspace("online", "langgraph", "http://127.0.0.1:" + port);
        org.suspect(id, Duration.ofSeconds(60));
        return id;
    }

    private int answering() {
        return agent(request -> {
            asked.add(request.uri() + " for " + request.getHeader("X-Molecule-Target"));
            request.response().setStatusCode(500).end();
        });
    }

    private void passHearing(UUID other, Duration time) {
        for (var left = time; left.isPositive(); left = left.minusSeconds(10)) {
            org.beat(other);
            pass(agents, Duration.ofSeconds(10));
        }
    }

    private int agent(io.vertx.core.Handler<HttpServerRequest> handler) {
        HttpServer server = vertx.createHttpServer()
                .requestHandler(handler)
                .listen(0, "127.0.0.1")
                .await();
        return server.actualPort();
    }

    private int silentPort() {
        HttpServer server = vertx.createHttpServer()
                .requestHandler(request -> {})
                .listen(0, "127.0.0.1")
                .await();
        int port = server.actualPort();
        server.close().await();
        return port;
    }
}
