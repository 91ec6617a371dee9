package ai.molecule.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import io.vertx.core.http.UpgradeRejectedException;
import io.vertx.core.http.WebSocketConnectOptions;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Sockets in production: nobody listens without proof, nobody holds them all, and a bearer is whose it is. */
@ExtendWith(VertxExtension.class)
class ClosedSocketsTest {

    private static final String TOO_MANY = "429 {\"error\":\"too many connections of this %s\",\"retry_after\":60}";

    @SuppressWarnings("NullAway.Init")
    private EventsFixture service;

    @Test
    void an_id_that_no_workspace_has_opens_no_socket(Vertx vertx) {
        service = EventsFixture.production(vertx);

        assertThat(refusal(UUID.randomUUID(), null)).isEqualTo("401 {\"error\":\"missing workspace auth token\"}");
    }

    @Test
    void nor_does_that_of_a_workspace_that_has_no_token_yet(Vertx vertx) {
        service = EventsFixture.production(vertx);
        var provisioning = service.organisation.add("agent", null);

        assertThat(refusal(provisioning, null)).isEqualTo("401 {\"error\":\"missing workspace auth token\"}");
    }

    @Test
    void both_do_where_an_operator_opened_that_door(Vertx vertx) {
        service = EventsFixture.production(vertx, "MOLECULE_OPEN_SOCKETS", "1");
        var provisioning = service.organisation.add("agent", null);

        assertThat(service.agent(UUID.randomUUID(), null, "").socket.isClosed()).isFalse();
        assertThat(service.agent(provisioning, null, "").socket.isClosed()).isFalse();
    }

    @Test
    void one_address_holds_so_many_connections_and_a_place_that_is_left_is_free_again(Vertx vertx) {
        service = EventsFixture.production(vertx, "SOCKETS_PER_ADDRESS", "2");
        var first = tokened("first");
        var second = tokened("second");
        var third = tokened("third");
        var peer = service.agent(first.id(), first.token(), "");
        service.agent(second.id(), second.token(), "");

        assertThat(refusal(third.id(), third.token())).isEqualTo(TOO_MANY.formatted("address"));
        assertThat(service.get(
                        "/workspaces/" + third.id() + "/events/stream", "Authorization", "Bearer " + third.token()))
                .isEqualTo(TOO_MANY.formatted("address"));

        peer.socket.close().await();
        await().untilAsserted(() -> assertThat(
                        service.agent(third.id(), third.token(), "").socket.isClosed())
                .isFalse());
    }

    @Test
    void one_workspace_holds_so_many_connections_whatever_tokens_it_has(Vertx vertx) {
        service = EventsFixture.production(vertx, "SOCKETS_PER_CREDENTIAL", "1");
        var greedy = tokened("greedy");
        var other = tokened("other");
        service.agent(greedy.id(), greedy.token(), "");

        assertThat(refusal(greedy.id(), service.organisation.tokenFor(greedy.id())))
                .isEqualTo(TOO_MANY.formatted("credential"));
        assertThat(service.agent(other.id(), other.token(), "").socket.isClosed())
                .isFalse();
    }

    @Test
    void a_workspaces_bearer_without_its_id_is_that_workspace_and_no_canvas(Vertx vertx) {
        service = EventsFixture.production(vertx);
        var agent = tokened("agent");

        hearsOnlyItself(agent, service.bearer(agent.token(), ""));
    }

    @Test
    void so_it_is_where_the_hatch_is_open(Vertx vertx) {
        service = EventsFixture.start(vertx);
        var agent = tokened("agent");

        hearsOnlyItself(agent, service.bearer(agent.token(), ""));
    }

    @Test
    void and_so_is_the_socket_of_a_ticket_that_it_asked_for(Vertx vertx) {
        service = EventsFixture.start(vertx);
        var agent = tokened("agent");
        var issued = service.request(
                io.vertx.core.http.HttpMethod.POST, "/ws/ticket", null, "Authorization", "Bearer " + agent.token());

        hearsOnlyItself(
                agent, service.canvas("?ticket=" + issued.bodyAsJsonObject().getString("ticket")));
    }

    @Test
    void a_paused_workspace_opens_no_socket_and_loses_those_it_has(Vertx vertx) {
        // Given
        service = EventsFixture.production(vertx);
        var agent = tokened("agent");
        var other = tokened("other");
        var paused = service.agent(agent.id(), agent.token(), "");
        var going = service.agent(other.id(), other.token(), "");

        // When
        service.organisation.pause(agent.id());

        // Then
        assertThat(paused.closed.orTimeout(60, TimeUnit.SECONDS).join()).isEqualTo("4003 the workspace is paused");
        assertThat(refusal(agent.id(), agent.token())).isEqualTo("403 {\"error\":\"workspace is paused\"}");
        assertThat(going.socket.isClosed()).isFalse();
    }

    @Test
    void who_is_removed_with_its_parent_loses_its_socket_at_once(Vertx vertx) {
        // Given
        service = EventsFixture.production(vertx);
        var lead = tokened("lead");
        var child = tokened("child");
        var peer = service.agent(child.id(), child.token(), "");

        // When
        service.organisation.removeBranch(lead.id(), child.id());

        // Then
        assertThat(peer.closed.orTimeout(60, TimeUnit.SECONDS).join()).isEqualTo("4003 the token is no longer valid");
    }

    @Test
    void a_replica_that_has_not_heard_of_a_revocation_delays_the_end_by_seconds_only(Vertx vertx) {
        // Given
        service = EventsFixture.production(vertx);
        var agent = tokened("agent");
        var peer = service.agent(agent.id(), agent.token(), "");

        // When
        service.organisation.revokeBehindAReplica(agent.token(), agent.id());

        // Then
        assertThat(peer.closed.orTimeout(60, TimeUnit.SECONDS).join()).isEqualTo("4003 the token is no longer valid");
    }

    private record Agent(UUID id, String token) {}

    private Agent tokened(String name) {
        var id = service.organisation.add(name, UUID.randomUUID());
        return new Agent(id, service.organisation.tokenFor(id));
    }

    private void hearsOnlyItself(Agent agent, Peer peer) {
        service.live("OTHERS", service.organisation.add("other", null));
        service.live("OWN", agent.id());
        await().until(() -> peer.types().contains("OWN"));
        assertThat(peer.types()).isEqualTo(List.of("OWN"));
    }

    private String refusal(UUID id, @Nullable String token) {
        var options = new WebSocketConnectOptions().setURI("/ws").putHeader("X-Workspace-ID", id.toString());
        if (token != null) {
            options.putHeader("Authorization", "Bearer " + token);
        }
        var refused = new String[1];
        assertThatThrownBy(() -> Peer.connect(service, options))
                .isInstanceOfSatisfying(
                        UpgradeRejectedException.class,
                        rejected -> refused[0] = rejected.getStatus() + " " + rejected.getBody());
        return refused[0];
    }
}
