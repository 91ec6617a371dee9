package ai.molecule.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.json.Json;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.UpgradeRejectedException;
import io.vertx.core.http.WebSocketConnectOptions;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Who may open {@code /ws}. */
@ExtendWith(VertxExtension.class)
class OpeningSocketsTest {

    private static final String FOREIGN = "http://elsewhere.example";

    @SuppressWarnings("NullAway.Init")
    private EventsFixture service;

    @Test
    void with_the_development_hatch_a_canvas_needs_nothing(Vertx vertx) {
        service = EventsFixture.start(vertx);
        service.organisation.tokenFor(UUID.randomUUID());

        assertThat(service.canvas("").socket.isClosed()).isFalse();
    }

    @Test
    void while_no_token_exists_a_canvas_needs_nothing(Vertx vertx) {
        service = EventsFixture.start(vertx, "MOLECULE_ENV", "");

        assertThat(service.canvas("").socket.isClosed()).isFalse();
    }

    @Test
    void otherwise_a_canvas_needs_an_admin_bearer_or_a_ticket(Vertx vertx) {
        service = EventsFixture.start(vertx, "MOLECULE_ENV", "", "ADMIN_TOKEN", "root", "MOLECULE_BIND", "127.0.0.1");

        assertRefused(canvas(), 401, "{\"error\":\"admin auth required\"}");
        assertRefused(bearer(canvas(), "wrong"), 401, "{\"error\":\"invalid admin auth token\"}");
        assertThat(Peer.connect(service, bearer(canvas(), "root")).socket.isClosed())
                .isFalse();
    }

    @Test
    void a_ticket_opens_one_socket_once(Vertx vertx) {
        service = EventsFixture.start(vertx, "MOLECULE_ENV", "", "ADMIN_TOKEN", "root", "MOLECULE_BIND", "127.0.0.1");
        var replica = service.replica();

        assertThat(service.post("/ws/ticket", "")).isEqualTo("401 {\"error\":\"admin auth required\"}");
        var issued = service.request(HttpMethod.POST, "/ws/ticket", null, "Authorization", "Bearer root");
        var body = Json.stored(issued.bodyAsString());
        String query = "?ticket=" + body.path("ticket").asText();

        assertThat(body.path("expires_in").asInt()).isEqualTo(30);
        assertThat(replica.canvas(query).socket.isClosed()).isFalse(); // any replica takes it
        assertRefused(
                new WebSocketConnectOptions().setURI("/ws" + query), 401, "{\"error\":\"invalid or expired ticket\"}");
        assertRefused(
                new WebSocketConnectOptions().setURI("/ws?ticket=made-up"),
                401,
                "{\"error\":\"invalid or expired ticket\"}");
    }

    @Test
    void on_a_platform_without_redis_any_replica_takes_a_ticket_once(Vertx vertx) {
        service = EventsFixture.start(
                vertx,
                "MOLECULE_ENV",
                "",
                "ADMIN_TOKEN",
                "root",
                "MOLECULE_BIND",
                "127.0.0.1",
                "MOLECULE_REDIS",
                "none");
        var replica = service.replica();
        String late = "?ticket=" + ticketFor("root");
        service.pool.query("UPDATE tickets SET expires_at = now()").execute().await();

        String query = "?ticket=" + ticketFor("root");

        assertThat(replica.canvas(query).socket.isClosed()).isFalse();
        for (String spent : List.of(query, late, "?ticket=made-up")) {
            assertRefused(
                    new WebSocketConnectOptions().setURI("/ws" + spent),
                    401,
                    "{\"error\":\"invalid or expired ticket\"}");
        }
        assertThat(service.pool.query("SELECT FROM tickets").execute().await()).isEmpty();
    }

    @Test
    void without_redis_a_ticket_works_where_it_was_issued(Vertx vertx) {
        service = EventsFixture.start(
                vertx,
                "MOLECULE_ENV",
                "",
                "ADMIN_TOKEN",
                "root",
                "MOLECULE_BIND",
                "127.0.0.1",
                "REDIS_URL",
                "redis://127.0.0.1:" + ai.molecule.common.testing.TestStores.freePort());

        String query = "?ticket=" + ticketFor("root");

        assertThat(service.canvas(query).socket.isClosed()).isFalse();
        assertThatThrownBy(() -> service.canvas(query)).isInstanceOf(UpgradeRejectedException.class);
    }

    @Test
    void an_agent_needs_its_own_token_once_it_has_one(Vertx vertx) {
        service = EventsFixture.start(vertx);
        var agent = service.organisation.add("agent", null);
        var other = service.organisation.add("other", null);
        assertThat(service.agent(agent, null, "").socket.isClosed()).isFalse();

        String own = service.organisation.tokenFor(agent);
        String foreign = service.organisation.tokenFor(other);
        service.bus.publish(
                ai.molecule.common.bus.hints.TokensChanged.HINT, new ai.molecule.common.bus.hints.TokensChanged(agent));

        await().untilAsserted(() -> assertRefused(agent(agent), 401, "{\"error\":\"missing workspace auth token\"}"));
        assertRefused(bearer(agent(agent), foreign), 401, "{\"error\":\"invalid workspace auth token\"}");
        assertThat(service.agent(agent, own, "").socket.isClosed()).isFalse();
    }

    @Test
    void a_revoked_token_ends_the_socket_that_it_opened_and_no_other(Vertx vertx) {
        // Given
        service = EventsFixture.start(vertx);
        var agent = service.organisation.add("agent", null);
        String lost = service.organisation.tokenFor(agent);
        String kept = service.organisation.tokenFor(agent);
        var thief = service.agent(agent, lost, "");
        var owner = service.agent(agent, kept, "");

        // When
        service.organisation.revoke(lost, agent);

        // Then
        assertThat(thief.closed.join()).isEqualTo("4003 the token is no longer valid");
        assertThat(owner.socket.isClosed()).isFalse();
    }

    @Test
    void the_last_token_of_an_agent_ends_its_socket_too_though_a_new_one_needs_none(Vertx vertx) {
        // Given
        service = EventsFixture.start(vertx);
        var agent = service.organisation.add("agent", null);
        String last = service.organisation.tokenFor(agent);
        var proven = service.agent(agent, last, "");

        // When
        service.organisation.revoke(last, agent);

        // Then
        assertThat(proven.closed.orTimeout(60, TimeUnit.SECONDS).join()).isEqualTo("4003 the token is no longer valid");
        assertThat(service.agent(agent, null, "").socket.isClosed()).isFalse();
    }

    @Test
    void a_revoked_org_token_ends_the_canvas_that_it_opened_and_no_other(Vertx vertx) {
        // Given
        service = EventsFixture.start(vertx, "MOLECULE_ENV", "", "ADMIN_TOKEN", "root", "MOLECULE_BIND", "127.0.0.1");
        String lost = service.organisation.organisationToken();
        var thief = Peer.connect(service, bearer(canvas(), lost));
        var owner = Peer.connect(service, bearer(canvas(), "root"));

        // When
        service.organisation.revokeOrganisationToken(lost);

        // Then
        assertThat(thief.closed.join()).isEqualTo("4003 the token is no longer valid");
        assertThat(owner.socket.isClosed()).isFalse();
        assertRefused(bearer(canvas(), lost), 401, "{\"error\":\"invalid admin auth token\"}");
    }

    @Test
    void a_revoked_org_token_ends_the_canvas_whose_ticket_it_asked_for(Vertx vertx) {
        // Given
        service = EventsFixture.start(vertx, "MOLECULE_ENV", "", "ADMIN_TOKEN", "root", "MOLECULE_BIND", "127.0.0.1");
        String lost = service.organisation.organisationToken();
        var replica = service.replica();
        var thief = replica.canvas("?ticket=" + ticketFor(lost));
        var owner = service.canvas("?ticket=" + ticketFor("root"));
        String unused = ticketFor(lost);

        // When
        service.organisation.revokeOrganisationToken(lost);

        // Then
        assertThat(thief.closed.orTimeout(60, TimeUnit.SECONDS).join()).isEqualTo("4003 the token is no longer valid");
        assertThat(owner.socket.isClosed()).isFalse();
        assertRefused(
                new WebSocketConnectOptions().setURI("/ws?ticket=" + unused),
                401,
                "{\"error\":\"invalid admin auth token\"}");
    }

    @Test
    void an_id_that_is_none_is_refused(Vertx vertx) {
        service = EventsFixture.start(vertx);

        assertRefused(canvas().putHeader("X-Workspace-ID", "me"), 400, "{\"error\":\"invalid workspace ID\"}");
    }

    @Test
    void a_foreign_page_is_refused_and_a_proven_agent_is_not_asked_where_it_comes_from(Vertx vertx) {
        service = EventsFixture.start(vertx, "CORS_ORIGINS", "http://canvas.example");
        var agent = service.organisation.add("agent", null);
        String token = service.organisation.tokenFor(agent);
        var unproven = service.organisation.add("unproven", null);

        assertRefused(canvas().putHeader("Origin", FOREIGN), 403, "");
        assertRefused(agent(unproven).putHeader("Origin", FOREIGN), 403, "{\"error\":\"origin not allowed\"}");
        assertThat(Peer.connect(service, canvas().putHeader("Origin", "http://canvas.example"))
                        .socket
                        .isClosed())
                .isFalse();
        assertThat(Peer.connect(service, bearer(agent(agent).putHeader("Origin", FOREIGN), token))
                        .socket
                        .isClosed())
                .isFalse();
        assertThat(service.agent(unproven, null, "").socket.isClosed()).isFalse();
    }

    private String ticketFor(String bearer) {
        var issued = service.request(HttpMethod.POST, "/ws/ticket", null, "Authorization", "Bearer " + bearer);
        return Json.stored(issued.bodyAsString()).path("ticket").asText();
    }

    private void assertRefused(WebSocketConnectOptions options, int status, String body) {
        assertThatThrownBy(() -> Peer.connect(service, options))
                .isInstanceOfSatisfying(UpgradeRejectedException.class, refused -> {
                    assertThat(refused.getStatus()).isEqualTo(status);
                    assertThat(String.valueOf(refused.getBody())).isEqualTo(body.isEmpty() ? "" : body);
                });
    }

    private static WebSocketConnectOptions canvas() {
        return new WebSocketConnectOptions().setURI("/ws");
    }

    private static WebSocketConnectOptions agent(UUID id) {
        return canvas().putHeader("X-Workspace-ID", id.toString());
    }

    private static WebSocketConnectOptions bearer(WebSocketConnectOptions options, String token) {
        return options.putHeader("Authorization", "Bearer " + token);
    }
}
