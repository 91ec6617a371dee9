package ai.molecule.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.auth.Role;
import ai.molecule.common.bus.registry.Directory.Entry;
import ai.molecule.common.events.EventLog;
import ai.molecule.common.json.Json;
import ai.molecule.common.workspaces.TenantName;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.testkit.Kept;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** People with a role for a branch only: of the events, of the stream and of the inbox they are shown what is of it, and nothing beside it. */
@ExtendWith(VertxExtension.class)
class SeeingABranchTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    @SuppressWarnings("NullAway.Init")
    private EventsFixture service;

    @SuppressWarnings("NullAway.Init")
    private UUID top;

    @SuppressWarnings("NullAway.Init")
    private UUID sales;

    @SuppressWarnings("NullAway.Init")
    private UUID seller;

    @SuppressWarnings("NullAway.Init")
    private UUID elsewhere;

    @SuppressWarnings("NullAway.Init")
    private String kim;

    @BeforeEach
    void start(Vertx vertx) {
        service = EventsFixture.production(vertx);
        top = service.organisation.add("Top", null);
        sales = service.organisation.add("Sales", top);
        seller = service.organisation.add("Seller", sales);
        elsewhere = service.organisation.add("Elsewhere", top);
        kim = service.organisation.personOf(sales, Role.OPERATOR);
    }

    @Test
    void events_are_those_of_the_branch() {
        service.record("OF_SALES", sales);
        service.record("OF_ELSEWHERE", elsewhere);
        service.record("OF_SELLER", seller);
        service.record("OF_NOBODY", null);
        service.awaitRecorded(4);

        assertThat(types(get("/events"))).containsExactly("OF_SELLER", "OF_SALES");
        assertThat(types(get("/events?after=0&limit=1"))).containsExactly("OF_SALES");
        assertThat(types(get("/events/" + seller))).containsExactly("OF_SELLER");
        assertThat(service.get("/events/" + elsewhere, "Authorization", "Bearer " + kim))
                .isEqualTo("404 {\"error\":\"workspace not found\"}")
                .isEqualTo(service.get("/events/" + UUID.randomUUID(), "Authorization", "Bearer " + kim));
        assertThat(types(Json.stored(service.request(HttpMethod.GET, "/events", null, "Authorization", "Bearer root")
                        .bodyAsString())))
                .hasSize(4);
    }

    @Test
    void the_stream_is_that_of_the_branch_what_was_missed_too_and_ends_with_the_role() {
        service.record("MISSED_ELSEWHERE", elsewhere);
        service.record("MISSED", seller);
        service.awaitRecorded(2);

        var heard = service.bearer(kim, "?since=0");
        await().atMost(LONG).until(() -> heard.types().contains("MISSED"));
        service.live("LIVE_ELSEWHERE", elsewhere);
        service.record("ELSEWHERE", elsewhere);
        service.record("AT_SALES", sales);
        service.awaitRecorded(4);
        await().atMost(LONG).until(() -> heard.types().contains("AT_SALES"));
        service.live("LIVE", seller);
        await().atMost(LONG).until(() -> heard.types().contains("LIVE"));
        assertThat(heard.types()).doesNotContain("MISSED_ELSEWHERE", "ELSEWHERE", "LIVE_ELSEWHERE");

        service.organisation.shutOut(kim);
        await().atMost(LONG).until(heard.closed::isDone);
        assertThat(heard.closed).isCompletedWithValueMatching(why -> why.startsWith("4003"));
    }

    @Test
    void the_stream_of_one_workspace_ends_with_the_role_too(Vertx vertx) {
        var heard = stream(vertx, seller);
        await().atMost(LONG).until(() -> heard.length() > 0);

        service.organisation.withdrawRoles(kim);

        await().atMost(LONG).until(() -> heard.toString().endsWith(": closed: the token is no longer valid\n\n"));
        assertThat(service.get("/workspaces/" + seller + "/events/stream", "Authorization", "Bearer " + kim))
                .isEqualTo("404 {\"error\":\"workspace not found\"}");
    }

    @Test
    void the_stream_of_a_workspace_that_is_moved_out_of_the_branch_ends(Vertx vertx) {
        var heard = stream(vertx, seller);
        var others = stream(vertx, sales);
        await().atMost(LONG).until(() -> heard.length() > 0 && others.length() > 0);

        service.organisation.move(seller, elsewhere);

        await().atMost(LONG).until(() -> heard.toString().endsWith(": closed: the token is no longer valid\n\n"));
        assertThat(others.toString()).doesNotContain("closed");
    }

    private StringBuffer stream(Vertx vertx, UUID workspace) {
        var text = new StringBuffer();
        var options = new RequestOptions()
                .setPort(service.port)
                .setHost("127.0.0.1")
                .setURI("/workspaces/" + workspace + "/events/stream")
                .putHeader("Authorization", "Bearer " + kim);
        // on an event loop: on this thread the first bytes might come before anybody listens
        vertx.runOnContext(loop -> Kept.kept(vertx.createHttpClient())
                .request(options)
                .compose(HttpClientRequest::send)
                .onSuccess(response -> response.handler(bytes -> text.append(bytes.toString()))));
        return text;
    }

    @Test
    void a_ticket_opens_the_stream_of_the_branch() {
        String ticket = service.request(HttpMethod.POST, "/ws/ticket", null, "Authorization", "Bearer " + kim)
                .bodyAsJsonObject()
                .getString("ticket");

        var heard = service.canvas("?ticket=" + ticket);
        service.live("LIVE_ELSEWHERE", elsewhere);
        service.live("LIVE", seller);

        await().atMost(LONG).until(() -> heard.types().contains("LIVE"));
        assertThat(heard.types()).doesNotContain("LIVE_ELSEWHERE");
    }

    @Test
    void the_record_is_of_what_was_done_there_without_the_chain_of_all() {
        did("secret.set", seller);
        did("secret.set", elsewhere);
        did("org_token.minted", null);

        var seen = get("/audit");

        assertThat(seen.path("entries")).hasSize(1);
        assertThat(Json.text(seen.path("entries"))).contains(seller.toString());
        assertThat(seen.path("chain").isNull()).isTrue();
        assertThat(get("/audit?workspace_id=" + elsewhere).path("entries")).isEmpty();
        assertThat(service.get("/audit", "Authorization", "Bearer " + kim, "Accept", "application/jsonl"))
                .startsWith("403 ");
    }

    @Test
    void an_administrator_who_names_a_tenant_is_shown_that_ones() {
        var root = UUID.randomUUID();
        service.organisation.put(
                new Entry(root, null, "Acme", null, WorkspaceStatus.ONLINE, true, TenantName.scopeOf("acme")));
        var below = service.organisation.add("Below", root);
        did("secret.set", below);
        did("secret.set", seller);
        service.record("OF_ACME", below);
        service.record("OF_SALES", sales);
        service.awaitRecorded(2);
        String[] acmes = {"Authorization", "Bearer root", "X-Molecule-Org-Id", "acme"};

        assertThat(types(Json.stored(
                        service.request(HttpMethod.GET, "/events", null, acmes).bodyAsString())))
                .containsExactly("OF_ACME");
        assertThat(Json.stored(service.request(HttpMethod.GET, "/audit", null, acmes)
                                .bodyAsString())
                        .path("entries")
                        .findValuesAsText("workspace_id"))
                .containsExactly(below.toString());
        assertThat(service.get("/audit", "Authorization", "Bearer root", "X-Molecule-Org-Id", "a b"))
                .startsWith("400 ");
    }

    @Test
    void the_past_is_that_of_who_was_there_and_is_nowhere_else_by_now() {
        var gone = UUID.randomUUID();
        was("Top", top, null);
        was("Sales", sales, top);
        was("Seller", seller, sales);
        was("Elsewhere", elsewhere, sales); // then
        was("Gone", gone, seller);
        service.awaitRecorded(5);

        var past = get("/org");

        assertThat(past.path("workspaces").findValuesAsText("name"))
                .containsExactlyInAnyOrder("Sales", "Seller", "Gone");
        assertThat(Json.text(past)).doesNotContain(elsewhere.toString());
        assertThat(past.path("circles")).hasSize(3);
    }

    @Test
    void the_inbox_is_that_of_the_branch_and_only_who_acts_there_takes_a_row_away() {
        fails(seller);
        fails(elsewhere);
        var looking = service.organisation.personOf(sales, Role.VIEWER);

        var rows = get("/inbox").path("rows");
        assertThat(rows).hasSize(1);
        assertThat(rows.get(0).path("workspace_id").asText()).isEqualTo(seller.toString());
        assertThat(Json.text(get("/inbox").path("waiting"))).isEqualTo("{\"decide\":1,\"fix\":0}");
        assertThat(get("/inbox?since=0").path("rows")).hasSize(1);

        String row = rows.get(0).path("id").asText();
        String other = service
                .request(HttpMethod.GET, "/inbox", null, "Authorization", "Bearer root")
                .bodyAsJsonObject()
                .getJsonArray("rows")
                .stream()
                .map(JsonObject.class::cast)
                .filter(one -> one.getString("workspace_id").equals(elsewhere.toString()))
                .findFirst()
                .orElseThrow()
                .getString("id");
        assertThat(dismiss(other, kim)).isEqualTo("404 {\"error\":\"not in the inbox\"}");
        assertThat(dismiss(row, looking)).startsWith("403 ");
        assertThat(dismiss(row, kim)).startsWith("200 ");
        assertThat(get("/inbox").path("rows")).isEmpty();
    }

    private void did(String verb, @Nullable UUID workspace) {
        service.pool
                .preparedQuery("SELECT log.append_audit($1, $2, 'A_KEY', 'done', NULL, '{}')")
                .execute(Tuple.of(verb, workspace))
                .await();
    }

    private void was(String name, UUID id, @Nullable UUID parent) {
        var payload = Json.object().put("name", name).put("parent_id", parent == null ? null : parent.toString());
        EventLog.append(service.database, "WORKSPACE_ONLINE", id, payload).await();
        service.log.committed();
    }

    private void fails(UUID workspace) {
        var payload = Json.object()
                .put("delegation_id", UUID.randomUUID().toString())
                .put("outcome", "unknown")
                .put("error", "nobody knows");
        EventLog.append(service.database, "DELEGATION_FAILED", workspace, payload)
                .await();
        service.log.committed();
    }

    private String dismiss(String id, String token) {
        return service.send(HttpMethod.DELETE, "/inbox/" + id, null, "Authorization", "Bearer " + token);
    }

    private JsonNode get(String path) {
        var answer = service.request(HttpMethod.GET, path, null, "Authorization", "Bearer " + kim);
        assertThat(answer.statusCode()).as(path).isEqualTo(200);
        return Json.stored(answer.bodyAsString());
    }

    private static List<String> types(JsonNode events) {
        return events.findValuesAsText("event_type");
    }
}
