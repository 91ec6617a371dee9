package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.hints.TokensChanged;
import ai.molecule.common.bus.hints.WorkspacesPurged;
import ai.molecule.common.bus.registry.Directory;
import ai.molecule.common.bus.registry.RemoveWorkspace;
import ai.molecule.common.db.Postgres;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** {@code DELETE /workspaces/:id}, and what an agent learns of it from {@code /state}. */
class DeletingWorkspacesTest {

    @Test
    void the_platform_itself_removes_a_workspace_with_everything_below_and_what_is_gone_is_no_failure() {
        try (var registry = RunningRegistry.start()) {
            String top = registry.create("Half imported");
            String below = registry.child("Below", top);
            var request = new RemoveWorkspace(UUID.fromString(top));

            var removed =
                    registry.bus.call(RemoveWorkspace.CONTRACT, request).await().removed();

            assertThat(removed).containsExactlyInAnyOrder(UUID.fromString(top), UUID.fromString(below));
            assertThat(registry.status(below)).isEqualTo("removed");
            assertThat(registry.bus
                            .call(RemoveWorkspace.CONTRACT, request)
                            .await()
                            .removed())
                    .isEmpty();
            assertThat(registry.bus
                            .call(RemoveWorkspace.CONTRACT, new RemoveWorkspace(UUID.randomUUID()))
                            .await()
                            .removed())
                    .isEmpty();
        }
    }

    /** The branch's heartbeats lie the other way round in their table than their ids say. */
    @Test
    void a_removal_and_a_batch_of_heartbeats_do_not_wait_for_each_other_in_a_circle() {
        try (var registry = RunningRegistry.start()) {
            String low = "00000000-0000-4000-8000-000000000001";
            String high = "ffffffff-0000-4000-8000-000000000001";
            registry.register(high, "http://localhost:1", "{}", null);
            registry.register(low, "http://localhost:1", "{}", null);
            registry.patch("/workspaces/" + low, "{\"parent_id\":\"%s\"}".formatted(high), ADMIN);
            var batch = PgConnection.connect(registry.vertx, Postgres.connectOptions(registry.databaseUrl, "registry"))
                    .await();
            var transaction = batch.begin().await();
            lock(batch, low);

            var removal = CompletableFuture.supplyAsync(
                    () -> registry.delete("/workspaces/" + high + "?confirm=true", ADMIN));
            await().until(() -> registry.sql(
                                    "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()")
                            .size()
                    > 0);
            lock(batch, high);
            transaction.commit().await();

            assertThat(removal.join().status()).isEqualTo(200);
            batch.close().await();
        }
    }

    private static void lock(PgConnection batch, String id) {
        batch.preparedQuery("SELECT 1 FROM heartbeats WHERE workspace_id = $1 FOR NO KEY UPDATE")
                .execute(Tuple.of(UUID.fromString(id)))
                .await();
    }

    @Test
    void the_directory_names_the_removed_for_an_hour_and_then_no_more() {
        try (var registry = RunningRegistry.start()) {
            var id = UUID.fromString(registry.create("Gone"));
            registry.delete("/workspaces/" + id, ADMIN);
            assertThat(named(registry)).contains(id);

            registry.sql("UPDATE workspaces SET status_since = status_since - interval '61 minutes' WHERE id = $1", id);

            assertThat(named(registry)).doesNotContain(id);
        }
    }

    private static List<UUID> named(RunningRegistry registry) {
        return registry.bus.call(Directory.CONTRACT, new Directory()).await().workspaces().stream()
                .map(Directory.Entry::id)
                .toList();
    }

    @Test
    void everybody_below_is_named_when_tokens_end() {
        try (var registry = RunningRegistry.start()) {
            String root = registry.create("Root");
            String child = registry.child("Child", root);
            List<UUID> ended = new CopyOnWriteArrayList<>();
            registry.bus.listen(TokensChanged.HINT, hint -> ended.add(Objects.requireNonNull(hint.workspaceId())));

            registry.delete("/workspaces/" + root + "?confirm=true", ADMIN);

            await().until(() -> ended.containsAll(List.of(UUID.fromString(root), UUID.fromString(child))));
        }
    }

    @Test
    void a_branch_wants_a_confirmation_and_then_goes_as_a_whole() {
        try (var registry = RunningRegistry.start()) {
            String root = registry.create("Root");
            String child = registry.child("Child", root);
            String grandchild = registry.child("Grandchild", child);
            String token = registry.token(grandchild);

            assertThat(registry.delete("/workspaces/" + root, ADMIN))
                    .hasToString(("409 {\"status\":\"confirmation_required\",\"message\":\"This workspace has"
                                    + " sub-workspaces. Delete with ?confirm=true to cascade delete.\","
                                    + "\"children\":[{\"id\":\"%s\",\"name\":\"Child\"}],\"children_count\":1}")
                            .formatted(child));
            assertThat(registry.delete("/workspaces/" + root + "?confirm=true", ADMIN))
                    .hasToString("200 {\"status\":\"removed\",\"cascade_deleted\":2}");

            assertThat(registry.get("/workspaces", ADMIN).body()).isEqualTo("[]");
            assertThat(registry.status(grandchild)).isEqualTo("removed");
            assertThat(registry.events(root).getLast())
                    .startsWith("WORKSPACE_REMOVED ")
                    .contains("\"cascade_deleted\":2");
            assertThat(registry.events(child).getLast()).startsWith("WORKSPACE_REMOVED ");
            assertThat(removed(registry))
                    .containsSubsequence(grandchild, child, root); // nobody who watches sees an orphan
            assertThat(registry.get("/workspaces/" + grandchild + "/tokens", token)
                            .status())
                    .isEqualTo(401);
            assertThat(registry.patch("/workspaces/" + root, "{\"name\":\"x\"}", ADMIN)
                            .status())
                    .isEqualTo(404);
        }
    }

    @Test
    void who_keeps_something_of_a_purged_branch_hears_of_it() {
        try (var registry = RunningRegistry.start()) {
            List<UUID> purged = new CopyOnWriteArrayList<>();
            List<UUID> elsewhere = new CopyOnWriteArrayList<>();
            registry.bus.listen(WorkspacesPurged.HINT, hint -> purged.addAll(hint.workspaceIds()));
            registry.bus.listen(WorkspacesPurged.HINT, hint -> elsewhere.addAll(hint.workspaceIds()));
            String top = registry.create("Top");
            String below = registry.child("Below", top);

            registry.delete("/workspaces/" + below, ADMIN);
            registry.delete("/workspaces/" + top + "?purge=true", ADMIN);

            await().untilAsserted(() ->
                    assertThat(purged).containsExactlyInAnyOrder(UUID.fromString(top), UUID.fromString(below)));
            await().untilAsserted(() -> assertThat(elsewhere).containsExactlyInAnyOrderElementsOf(purged));
        }
    }

    @Test
    void after_the_last_one_the_platform_is_open_again() {
        try (var registry = RunningRegistry.startBare()) {
            String id =
                    registry.post("/workspaces", "{\"name\":\"Only\"}", null).text("id");
            String token = registry.get("/admin/workspaces/" + id + "/test-token", null)
                    .text("auth_token");
            assertThat(registry.get("/workspaces", null)).hasToString("401 {\"error\":\"admin auth required\"}");

            assertThat(registry.delete("/workspaces/" + id, token))
                    .hasToString("200 {\"status\":\"removed\",\"cascade_deleted\":0}");

            assertThat(registry.get("/workspaces", null)).hasToString("200 []");
        }
    }

    @Test
    void an_agent_learns_from_its_old_token_that_it_was_deleted_and_from_nothing_else() {
        try (var registry = RunningRegistry.start()) {
            String id = registry.create("Agent");
            String token = registry.token(id);
            String state = "/workspaces/" + id + "/state";
            assertThat(registry.get(state, token))
                    .hasToString(
                            "200 {\"workspace_id\":\"%s\",\"status\":\"provisioning\",\"paused\":false,\"deleted\":false}"
                                    .formatted(id));
            assertThat(registry.get(state, ADMIN)).hasToString("401 {\"error\":\"invalid workspace auth token\"}");

            registry.delete("/workspaces/" + id, ADMIN);

            String deleted = "404 {\"workspace_id\":\"%s\",\"status\":\"removed\",\"deleted\":true}".formatted(id);
            assertThat(registry.get(state, token)).hasToString(deleted);
            assertThat(registry.get(state, "garbage").status()).isEqualTo(401);
            assertThat(registry.get(state, null).status()).isEqualTo(401);
            assertThat(registry.get("/workspaces/" + UUID.randomUUID() + "/state", token)
                            .status())
                    .isEqualTo(401);

            assertThat(registry.delete("/workspaces/" + id + "?purge=true", ADMIN))
                    .hasToString("200 {\"status\":\"purged\",\"cascade_deleted\":0}");
            assertThat(registry.get(state, token)).hasToString(deleted);
            assertThat(registry.get("/workspaces/" + id, null).status()).isEqualTo(404);

            registry.register(id, "http://localhost:8001", "{}", null);
            assertThat(registry.get(state, token)).hasToString("401 {\"error\":\"invalid workspace auth token\"}");
        }
    }

    @Test
    void a_revoked_token_of_a_workspace_that_exists_is_no_tombstone() {
        try (var registry = RunningRegistry.start()) {
            String id = registry.create("Agent");
            String token = registry.token(id);
            String tokenId = registry.get("/workspaces/" + id + "/tokens", ADMIN)
                    .json()
                    .path("tokens")
                    .get(0)
                    .path("id")
                    .asText();
            registry.delete("/workspaces/" + id + "/tokens/" + tokenId, ADMIN);

            assertThat(registry.get("/workspaces/" + id + "/state", token))
                    .hasToString("401 {\"error\":\"invalid workspace auth token\"}");
        }
    }

    @Test
    void an_unknown_id_is_removed_already_and_a_text_is_none() {
        try (var registry = RunningRegistry.start()) {
            assertThat(registry.delete("/workspaces/" + UUID.randomUUID(), ADMIN))
                    .hasToString("200 {\"status\":\"removed\",\"cascade_deleted\":0}");
            assertThat(registry.delete("/workspaces/nonsense", ADMIN))
                    .hasToString("400 {\"error\":\"invalid workspace ID\"}");
        }
    }

    private static List<String> removed(RunningRegistry registry) {
        return registry
                .sql(
                        "SELECT workspace_id FROM log.events WHERE event_type = 'WORKSPACE_REMOVED' ORDER BY log.events.id")
                .stream()
                .map(row -> row.getUUID("workspace_id").toString())
                .toList();
    }
}
