package ai.molecule.registry;

import static ai.molecule.registry.EnrollingInProductionTest.startToken;
import static ai.molecule.registry.EnrollingInProductionTest.want;
import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.bus.registry.ListManaged;
import ai.molecule.common.bus.registry.ResolveRoute;
import ai.molecule.common.bus.registry.SetDesired.Action;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** {@code /workspaces/:id/quarantine}, and what a paused workspace's token still opens. */
class QuarantiningWorkspacesTest {

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
    void a_quarantined_workspace_is_paused_without_tokens_and_without_a_way_to_one() {
        String id = registry.create("Suspect");
        String sibling = registry.create("Sibling");
        String started = startToken(registry, id, 1);
        String minted = registry.mint(id);
        registry.register(id, "http://localhost:1", "{}", started);

        assertThat(registry.post("/workspaces/" + id + "/quarantine", "", ADMIN))
                .hasToString("200 {\"status\":\"quarantined\",\"workspaces\":[\"%s\"]}".formatted(id));

        for (String token : new String[] {started, minted}) {
            assertThat(registry.get("/workspaces/" + id + "/tokens", token).status())
                    .isEqualTo(401);
            assertThat(registry.get("/workspaces/" + id + "/secrets/values", token)
                            .status())
                    .isEqualTo(401);
            assertThat(registry.get("/workspaces/" + id + "/state", token))
                    .hasToString(
                            "200 {\"workspace_id\":\"%s\",\"status\":\"paused\",\"paused\":true,\"quarantined\":true,\"deleted\":false}"
                                    .formatted(id));
            assertThat(registry.register(id, "http://localhost:1", "{}", token).status())
                    .isEqualTo(401);
        }
        assertThat(registry.register(id, "http://localhost:1", "{}", null).status())
                .isEqualTo(401);
        assertThat(registry.register(id, "http://localhost:1", "{}", ADMIN).status())
                .isEqualTo(401);
        assertThat(registry.post("/workspaces/" + id + "/tokens", "", ADMIN))
                .hasToString("409 {\"error\":\"workspace is quarantined\"}");
        assertThat(registry.get("/workspaces/" + id + "/state", "garbage").status())
                .isEqualTo(401);
        assertThat(registry.eventTypes(id)).endsWith("WORKSPACE_PAUSED", "WORKSPACE_QUARANTINED");
        assertThat(registry.see(id).path("quarantined").asBoolean()).isTrue();
        var route = route(sibling, id);
        assertThat(route.quarantined()).isTrue();
        assertThat(route(id, sibling).allowed()).isFalse();
        var managed = registry.bus
                .call(ListManaged.CONTRACT, new ListManaged(UUID.fromString(id), null, 1))
                .await()
                .workspaces()
                .getFirst();
        assertThat(managed.quarantined()).isTrue();
        assertThat(registry.post("/workspaces/" + id + "/quarantine", "", ADMIN))
                .hasToString("200 {\"status\":\"quarantined\",\"workspaces\":[]}");
    }

    @Test
    void a_quarantine_and_a_removal_revoke_only_tokens_that_still_hold() {
        String id = registry.create("Suspect");
        String removed = registry.create("Gone");
        for (String workspace : new String[] {id, removed}) {
            registry.mint(workspace);
            registry.sql("""
                    INSERT INTO workspace_tokens (id, workspace_id, token_hash, prefix, incarnation, created_at, expires_at)
                    SELECT gen_random_uuid(), $1, sha256(convert_to($2::text || n, 'UTF8')), 'old', 1,
                        now() - interval '2 hours', now() - interval '2 hours'
                    FROM generate_series(1, 100) AS n
                    """, UUID.fromString(workspace), workspace);
        }

        registry.post("/workspaces/" + id + "/quarantine", "", ADMIN);
        registry.delete("/workspaces/" + removed + "?confirm=true", ADMIN);

        for (String workspace : new String[] {id, removed}) {
            assertThat(registry.sql(
                                    "SELECT count(*) FROM log.audit WHERE workspace_id = $1 AND verb = 'token.revoked'",
                                    UUID.fromString(workspace))
                            .iterator()
                            .next()
                            .getLong(0))
                    .isEqualTo(1);
        }
    }

    @Test
    void neither_a_resume_nor_a_restart_undoes_it_but_a_person_does() {
        String id = registry.create("Suspect");
        registry.post("/workspaces/" + id + "/quarantine", "", ADMIN);

        for (var action : new Action[] {Action.RESUME, Action.RESTART}) {
            assertThatThrownBy(() -> want(registry, id, action)).hasMessage("workspace is quarantined");
        }
        assertThatThrownBy(() -> startToken(registry, id, 1)).hasMessage("workspace is quarantined");
        assertThat(registry.delete("/workspaces/" + id + "/quarantine", null).status())
                .isEqualTo(401);

        assertThat(registry.delete("/workspaces/" + id + "/quarantine", ADMIN))
                .hasToString("200 {\"status\":\"released\",\"workspaces\":[\"%s\"]}".formatted(id));
        assertThat(registry.delete("/workspaces/" + id + "/quarantine", ADMIN).status())
                .isEqualTo(404);
        assertThat(registry.eventTypes(id)).endsWith("WORKSPACE_RELEASED");
        assertThat(registry.status(id)).isEqualTo("paused");
        want(registry, id, Action.RESUME);
        assertThat(registry.status(id)).isEqualTo("provisioning");
    }

    @Test
    void a_branch_goes_as_a_whole_and_a_resume_from_above_leaves_it_alone() {
        String root = registry.create("Root");
        String suspect = registry.child("Suspect", root);
        String below = registry.child("Below", suspect);
        String other = registry.child("Other", root);
        String token = registry.mint(below);

        var answer = registry.post("/workspaces/" + suspect + "/quarantine", "{\"branch\":true}", ADMIN);

        assertThat(answer.body()).contains(suspect, below).doesNotContain(other);
        assertThat(registry.get("/workspaces/" + below + "/state", token).body())
                .contains("\"quarantined\":true");
        want(registry, root, Action.PAUSE);
        want(registry, root, Action.RESUME);
        assertThat(registry.status(other)).isEqualTo("provisioning");
        assertThat(registry.status(suspect)).isEqualTo("paused");
        assertThat(registry.status(below)).isEqualTo("paused");
        assertThat(registry.delete("/workspaces/" + suspect + "/quarantine?branch=true", ADMIN)
                        .body())
                .contains(suspect, below);
        want(registry, suspect, Action.RESUME);
        assertThat(registry.status(below)).isEqualTo("provisioning");
    }

    @Test
    void what_is_below_a_quarantined_one_is_not_resumed_from_above_either() {
        String root = registry.create("Root");
        String suspect = registry.child("Suspect", root);
        String below = registry.child("Below", suspect);
        registry.post("/workspaces/" + suspect + "/quarantine", "", ADMIN);
        assertThat(registry.status(below)).isEqualTo("provisioning");

        want(registry, root, Action.PAUSE);
        want(registry, root, Action.RESUME);

        assertThat(registry.status(below)).isEqualTo("paused");
        assertThat(registry.status(root)).isEqualTo("provisioning");
    }

    @Test
    void a_paused_workspaces_token_reads_its_state_and_heartbeats_and_nothing_else() {
        String sibling = registry.create("Sibling", "\"external\":true", "\"url\":\"http://example.com\"");
        String id = registry.create("Paused");
        String token = startToken(registry, id, 1);
        registry.register(id, "http://localhost:1", "{}", token);
        assertThat(registry.get("/registry/" + id + "/peers", token).status()).isEqualTo(200);

        want(registry, id, Action.PAUSE);

        assertThat(registry.get("/workspaces/" + id + "/state", token))
                .hasToString("200 {\"workspace_id\":\"%s\",\"status\":\"paused\",\"paused\":true,\"deleted\":false}"
                        .formatted(id));
        assertThat(registry.beat(id, "", token).status()).isEqualTo(200);
        String paused = "403 {\"error\":\"workspace is paused\"}";
        assertThat(registry.get("/registry/" + id + "/peers", token)).hasToString(paused);
        assertThat(registry.get("/registry/discover/" + sibling, token, "X-Workspace-ID", id))
                .hasToString(paused);
        assertThat(registry.post(
                        "/registry/update-card",
                        "{\"workspace_id\":\"%s\",\"agent_card\":{\"name\":\"x\"}}".formatted(id),
                        token))
                .hasToString(paused);
        assertThat(registry.post("/workspaces/" + id + "/tokens", "", token)).hasToString(paused);
        assertThat(registry.get("/workspaces/" + id, token)).hasToString(paused);
    }

    @Test
    void who_is_not_there_cannot_be_cut_off() {
        String unknown = "/workspaces/" + UUID.randomUUID() + "/quarantine";

        assertThat(registry.post(unknown, "", ADMIN)).hasToString("404 {\"error\":\"workspace not found\"}");
        assertThat(registry.delete(unknown, ADMIN).status()).isEqualTo(404);
        assertThat(registry.post("/workspaces/x/quarantine", "", ADMIN).status())
                .isEqualTo(400);
    }

    private static ResolveRoute.Route route(String caller, String target) {
        return registry.bus
                .call(ResolveRoute.CONTRACT, new ResolveRoute(UUID.fromString(target), UUID.fromString(caller)))
                .await();
    }
}
