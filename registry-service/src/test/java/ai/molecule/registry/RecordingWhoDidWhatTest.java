package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.audit.Actor;
import ai.molecule.common.audit.Audited;
import ai.molecule.common.bus.registry.SecretsFor;
import ai.molecule.common.bus.registry.SetDesired;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.internal.VertxInternal;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The rows of {@code log.audit} that requests leave, and those that they do not. */
class RecordingWhoDidWhatTest {

    /** Nothing starts it anew by itself. */
    private static final String EXTERNAL = "\"external\":true";

    private static final String SECRET = "sk-never-in-the-record-0123456789";

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry registry;

    @BeforeAll
    static void start() {
        registry = RunningRegistry.startInProduction();
    }

    @AfterAll
    static void stop() {
        registry.close();
    }

    @Test
    void each_change_by_an_administrator_is_one_row_in_their_name() {
        String id = registry.create("Writer");
        String parent = registry.create("Lead");
        String path = "/workspaces/" + id;

        registry.patch(path, "{\"name\":\"Author\"}", ADMIN);
        registry.patch(path, "{\"parent_id\":\"%s\"}".formatted(parent), ADMIN);
        registry.patch(path, "{\"role\":\"writes\"}", ADMIN);
        registry.patch(path + "/budget", "{\"budget_limit\":1000}", ADMIN);
        registry.patch(path + "/config", "{\"a\":1}", ADMIN);
        registry.patch(path + "/config", "{\"a\":2}", ADMIN);
        registry.post(path + "/secrets", "{\"key\":\"A_KEY\",\"value\":\"%s\"}".formatted(SECRET), ADMIN);
        registry.post(path + "/secrets", "{\"key\":\"A_KEY\",\"value\":\"%s2\"}".formatted(SECRET), ADMIN);
        registry.delete(path + "/secrets/A_KEY", ADMIN);
        registry.mint(id);
        registry.post(path + "/quarantine", "", ADMIN);
        registry.delete(path + "/quarantine", ADMIN);
        registry.delete(path + "?confirm=true", ADMIN);

        assertThat(told(id))
                .containsExactlyInAnyOrder(
                        "workspace.created administrator admin-token",
                        "workspace.changed administrator admin-token",
                        "workspace.moved administrator admin-token",
                        "workspace.changed administrator admin-token",
                        "workspace.limited administrator admin-token",
                        "config.created administrator admin-token",
                        "config.changed administrator admin-token",
                        "secret.created administrator admin-token",
                        "secret.changed administrator admin-token",
                        "secret.deleted administrator admin-token",
                        "token.created administrator admin-token",
                        "workspace.paused administrator admin-token",
                        "token.revoked administrator admin-token",
                        "workspace.quarantined administrator admin-token",
                        "workspace.released administrator admin-token",
                        "workspace.removed administrator admin-token");
        var moved = entries(id).get(2);
        assertThat(moved.path("detail").path("parent_id").path(1).asText()).isEqualTo(parent);
        assertThat(moved.path("actor").path("address").asText()).isEqualTo("127.0.0.1");
        assertThat(moved.path("verdict").asText()).isEqualTo("done");
    }

    @Test
    void the_request_the_organisations_token_and_the_session_are_named_and_open_nothing() {
        String orgToken =
                registry.post("/org/tokens", "{\"name\":\"ci\"}", ADMIN).text("auth_token");
        var signedIn = registry.send(HttpMethod.POST, "/session", "{\"token\":\"" + ADMIN + "\"}", null);
        String id = registry.create("Named");

        registry.send(
                HttpMethod.PATCH, "/workspaces/" + id, "{\"role\":\"named\"}", orgToken, "X-Request-Id", "the-request");

        assertThat(signedIn.status()).isEqualTo(201);
        var changed = entries(id).getLast().path("actor");
        assertThat(changed.path("kind").asText()).isEqualTo("organisation");
        assertThat(changed.path("name").asText()).isEqualTo("org-token:" + orgToken.substring(0, 8));
        assertThat(changed.path("request_id").asText()).isEqualTo("the-request");
        assertThat(everything()).contains("\"org_token.created\"", "\"session.created\"");
        assertThat(everything()).doesNotContain(orgToken, ADMIN, orgToken.substring(0, 9));
    }

    @Test
    void what_an_agent_does_and_reads_is_in_its_own_name() {
        registry.post("/settings/secrets", "{\"key\":\"SHARED\",\"value\":\"%s\"}".formatted(SECRET), ADMIN);
        String id = registry.create("Agent");
        String token = registry.mint(id);

        assertThat(registry.get("/workspaces/" + id + "/secrets/values", token).status())
                .isEqualTo(200);
        registry.post("/workspaces/" + id + "/approvals", "{\"action\":\"deploy\"}", token);
        registry.bus
                .call(SecretsFor.CONTRACT, new SecretsFor(UUID.fromString(id)))
                .await();

        assertThat(told(id)).contains("secret.read workspace " + id, "approval.created workspace " + id);
        assertThat(allOf(id).stream()
                        .filter(entry ->
                                entry.path("actor").path("name").asText().equals("molecule-registry"))
                        .map(entry -> entry.path("verb").asText()))
                .contains("secret.read");
        assertThat(entries(id).stream()
                        .filter(entry -> entry.path("verb").asText().equals("secret.read"))
                        .map(entry -> entry.path("detail").path("keys").toString()))
                .containsOnly("[\"SHARED\"]");
        assertThat(everything()).doesNotContain(SECRET, token);
    }

    @Test
    void a_decision_names_the_credential_whatever_its_body_says() {
        String id = registry.create("Asker");
        String token = registry.mint(id);
        String approval = registry.post("/workspaces/" + id + "/approvals", "{\"action\":\"pay\"}", token)
                .text("approval_id");

        registry.post(
                "/workspaces/%s/approvals/%s/decide".formatted(id, approval),
                "{\"decision\":\"approved\",\"decided_by\":\"alice@corp.example\",\"grace_seconds\":0}",
                ADMIN);

        var decided = entries(id).getLast();
        assertThat(decided.path("verb").asText()).isEqualTo("approval.approved");
        assertThat(decided.path("object").asText()).isEqualTo(approval);
        assertThat(decided.path("actor").path("name").asText()).isEqualTo("admin-token");
    }

    @Test
    void invitations_and_registrations_are_recorded() {
        var invited = registry.post("/invitations", "{\"name\":\"Guest\"}", ADMIN);
        String id = invited.text("id");

        registry.register(id, "http://localhost:1", "{}", null);

        assertThat(told(id)).contains("workspace.created registration " + id, "token.created registration " + id);
        assertThat(everything()).contains("\"invitation.created\"");
    }

    @Test
    void the_actor_goes_along_with_a_call_of_another_service() {
        String id = registry.create("Paused");
        var context = ((VertxInternal) registry.vertx).getOrCreateContext().duplicate();

        Future.<SetDesired.Done>future(done -> context.runOnContext(asks -> {
                    Actor.of("administrator", "somebody", null, null, "r-1").acts();
                    registry.bus
                            .call(
                                    SetDesired.CONTRACT,
                                    new SetDesired(UUID.fromString(id), SetDesired.Action.PAUSE, null, null))
                            .onComplete(done);
                }))
                .await();

        assertThat(told(id).getLast()).isEqualTo("workspace.paused administrator somebody");
    }

    @Test
    void heartbeats_registrations_of_the_known_and_plain_reads_leave_nothing() {
        String id = registry.create("Quiet", EXTERNAL);
        String token = registry.mint(id);
        registry.register(id, "http://localhost:1", "{\"name\":\"Quiet\"}", token);
        int before = allOf(id).size();

        registry.register(id, "http://localhost:2", "{\"name\":\"Quieter\"}", token);
        registry.beat(id, ",\"error_rate\":0.9,\"current_task\":\"t\",\"active_tasks\":1", token);
        registry.beat(id, ",\"error_rate\":0", token);
        registry.get("/workspaces", ADMIN);
        registry.get("/workspaces/" + id + "/secrets", token);
        registry.post("/workspaces/" + id + "/memories", "{\"content\":\"c\",\"scope\":\"LOCAL\"}", token);

        assertThat(allOf(id)).hasSize(before);
    }

    @Test
    void a_change_that_is_rolled_back_leaves_nothing() {
        String id = registry.create("Same", EXTERNAL);
        int before = allOf(id).size();

        assertThatThrownBy(() -> registry.database
                        .transaction(transaction -> transaction
                                .run("UPDATE workspaces SET tier = 4 WHERE id = $1", Tuple.of(UUID.fromString(id)))
                                .compose(changed -> Future.failedFuture(new IllegalStateException("no"))))
                        .await())
                .hasMessageContaining("no");

        assertThat(allOf(id)).hasSize(before);
    }

    @Test
    void a_change_that_cannot_be_recorded_does_not_happen() {
        String id = registry.create("Kept");
        registry.sql("ALTER TABLE log.audit ADD CONSTRAINT full_disk CHECK (verb <> 'workspace.limited') NOT VALID");

        var refused = registry.patch("/workspaces/" + id + "/budget", "{\"budget_limit\":77}", ADMIN);
        registry.sql("ALTER TABLE log.audit DROP CONSTRAINT full_disk");

        assertThat(refused.status()).isEqualTo(500);
        assertThat(registry.get("/workspaces/" + id + "/budget", ADMIN)
                        .json()
                        .path("budget_limit")
                        .isNull())
                .isTrue();
    }

    @Test
    void a_purge_is_one_row_and_what_goes_with_it_none() {
        String id = registry.create("Purged", "\"secrets\":{\"A_KEY\":\"%s\"}".formatted(SECRET));
        registry.mint(id);
        int before = entries(id).size();

        registry.delete("/workspaces/" + id + "?confirm=true&purge=true", ADMIN);

        assertThat(told(id).subList(before, told(id).size()))
                .contains("workspace.deleted administrator admin-token")
                .doesNotContain("secret.deleted administrator admin-token");
        assertThat(everything()).doesNotContain(SECRET);
    }

    @Test
    void refusals_are_counted_and_alike_ones_are_one_row() {
        for (int i = 0; i < 40; i++) {
            registry.get("/org/tokens", "a-guess-" + i);
        }

        await().untilAsserted(() -> assertThat(counted("GET /org/tokens")).isEqualTo(40));
        assertThat(everything()).doesNotContain("a-guess-");
    }

    @Test
    void every_table_with_such_a_trigger_is_one_before_whose_change_the_actor_is_named() {
        assertThat(registry.sql("""
                        SELECT DISTINCT relname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
                        WHERE tgfoid = 'log.audit_change'::regproc
                        """).stream().map(row -> row.getString(0)))
                .containsExactlyInAnyOrderElementsOf(Audited.TABLES);
    }

    private static int counted(String route) {
        return registry
                .sql("SELECT entry FROM log.audit WHERE verb = 'request.refused' AND object = $1", route)
                .stream()
                .mapToInt(row -> Json.stored(row.getString(0))
                        .path("detail")
                        .path("count")
                        .asInt())
                .sum();
    }

    /** But what the platform did by itself, such as starting an agent anew whose secrets changed: that comes when it comes. */
    private static List<JsonNode> entries(String id) {
        return allOf(id).stream()
                .filter(entry -> !entry.path("actor").path("kind").asText().equals("platform"))
                .toList();
    }

    private static List<JsonNode> allOf(String id) {
        return registry
                .sql("SELECT entry FROM log.audit WHERE workspace_id = $1 ORDER BY log.audit.id", UUID.fromString(id))
                .stream()
                .map(row -> Json.stored(row.getString(0)))
                .toList();
    }

    /** What was done, by whom. */
    private static List<String> told(String id) {
        return entries(id).stream()
                .map(entry -> "%s %s %s"
                        .formatted(
                                entry.path("verb").asText(),
                                entry.path("actor").path("kind").asText(),
                                entry.path("actor").path("name").asText()))
                .toList();
    }

    private static String everything() {
        return String.join(
                "\n",
                registry.sql("SELECT entry FROM log.audit").stream()
                        .map(row -> row.getString(0))
                        .toList());
    }
}
