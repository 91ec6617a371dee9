package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.bus.proxy.RunningWith;
import ai.molecule.common.workspaces.AccessRule;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code POST /workspaces/:id/move}: what it would change is said before it, and then it is so. */
class MovingWorkspacesTest {

    private static final long SEED = 20261123;

    @SuppressWarnings("NullAway.Init")
    private RunningRegistry registry;

    @BeforeEach
    void start() {
        registry = RunningRegistry.start();
    }

    @AfterEach
    void stop() {
        registry.close();
    }

    @Test
    void a_dry_run_says_who_could_talk_to_whom_and_changes_nothing() {
        String engineering = registry.create("Engineering");
        String customers = registry.create("Customers");
        String tester = registry.create("Tester", "\"role\":\"tests\"", "\"parent_id\":\"%s\"".formatted(engineering));
        registry.child("Backend", engineering);
        registry.child("Below", tester);
        registry.child("Writer", customers);
        var events = registry.events(tester);

        var answer = registry.post("/workspaces/" + tester + "/move?dry_run=1", parent(customers), ADMIN);

        assertThat(answer.status()).isEqualTo(200);
        assertThat(names(answer.json().path("gains"))).containsExactly("Customers", "Writer");
        assertThat(names(answer.json().path("loses"))).containsExactly("Backend", "Engineering");
        assertThat(answer.json().path("dry_run").asBoolean()).isTrue();
        assertThat(registry.see(tester).path("parent_id").asText()).isEqualTo(engineering);
        assertThat(registry.events(tester)).isEqualTo(events);
    }

    @Test
    void what_is_said_is_what_the_access_rule_says_before_and_after_for_every_move() {
        var random = new Random(SEED);
        List<String> ids = new ArrayList<>();
        Map<UUID, Optional<UUID>> parents = new HashMap<>();
        for (int i = 0; i < 14; i++) {
            String parent = ids.isEmpty() || random.nextInt(3) == 0 ? null : ids.get(random.nextInt(ids.size()));
            String id = parent == null ? registry.create("w" + i) : registry.child("w" + i, parent);
            ids.add(id);
            parents.put(UUID.fromString(id), Optional.ofNullable(parent).map(UUID::fromString));
        }

        int moved = 0;
        for (String id : ids) {
            for (int tries = 0; tries < 3; tries++) {
                String to = random.nextInt(4) == 0 ? null : ids.get(random.nextInt(ids.size()));
                var answer = registry.post("/workspaces/" + id + "/move?dry_run=true", parent(to), ADMIN);
                if (answer.status() == 409) {
                    continue; // below itself
                }
                moved++;
                var after = new HashMap<>(parents);
                after.put(UUID.fromString(id), Optional.ofNullable(to).map(UUID::fromString));
                var now = new AccessRule(parents);
                var then = new AccessRule(after);
                assertThat(idsOf(answer.json().path("gains"))).isEqualTo(difference(UUID.fromString(id), then, now));
                assertThat(idsOf(answer.json().path("loses"))).isEqualTo(difference(UUID.fromString(id), now, then));
            }
        }
        assertThat(moved).isGreaterThan(10);
    }

    @Test
    void without_dry_run_it_is_moved_and_the_same_is_answered() {
        String lead = registry.create("Lead");
        String agent = registry.create("Agent");

        var answer = registry.post("/workspaces/" + agent + "/move", parent(lead), ADMIN);

        assertThat(answer.json().path("dry_run").asBoolean(true)).isFalse();
        assertThat(answer.json().path("gains").path("count").asInt()).isZero(); // they were both roots
        assertThat(registry.see(agent).path("parent_id").asText()).isEqualTo(lead);
        assertThat(registry.eventTypes(agent)).endsWith("WORKSPACE_UPDATED", "WORKSPACE_MOVED");
        registry.post("/workspaces/" + agent + "/move", "{\"parent_id\":null}", ADMIN);
        assertThat(registry.see(agent).path("parent_id").isNull()).isTrue();
    }

    @Test
    void it_says_which_secrets_come_and_go_by_name() {
        String engineering = registry.create("Engineering");
        String customers = registry.create("Customers");
        String agent = registry.child("Agent", engineering);
        grant("ENGINE_KEY", engineering);
        grant("CRM_KEY", customers);
        grant("OWN_KEY", agent);

        var answer = registry.post("/workspaces/" + agent + "/move?dry_run=1", parent(customers), ADMIN)
                .json();

        assertThat(answer.path("gains_secrets").toString()).isEqualTo("[\"CRM_KEY\"]");
        assertThat(answer.path("loses_secrets").toString()).isEqualTo("[\"ENGINE_KEY\"]");
    }

    @Test
    void it_says_what_runs_between_those_who_could_talk_no_longer_and_nothing_of_the_others() {
        String lead = registry.create("Lead");
        String tester = registry.child("Tester", lead);
        String backend = registry.child("Backend", lead);
        String below = registry.child("Below", tester);
        var now = Instant.parse("2026-11-23T10:00:00Z");
        assertThat(registry.post("/workspaces/" + tester + "/move?dry_run=1", parent(null), ADMIN)
                        .json()
                        .path("would_stop")
                        .isNull())
                .as("without the proxy")
                .isTrue();
        registry.bus
                .serve(
                        RunningWith.CONTRACT,
                        question -> Future.succeededFuture(new RunningWith.Running(List.of(
                                new RunningWith.One(
                                        UUID.randomUUID(), "delegation", id(backend), id(tester), "test it", now),
                                new RunningWith.One(
                                        UUID.randomUUID(), "message", id(tester), id(below), "more", now)))))
                .await();

        var stopping = registry.post("/workspaces/" + tester + "/move?dry_run=1", parent(null), ADMIN)
                .json()
                .path("would_stop");

        assertThat(stopping).hasSize(1);
        assertThat(stopping.path(0).path("kind").asText()).isEqualTo("delegation");
        assertThat(stopping.path(0).path("source_id").asText()).isEqualTo(backend);
        assertThat(stopping.path(0).path("preview").asText()).isEqualTo("test it");
        assertThat(stopping.path(0).path("started_at").asText()).isEqualTo("2026-11-23T10:00:00.000000Z");
    }

    @Test
    void what_cannot_be_moved_is_refused_by_a_dry_run_too() {
        String lead = registry.create("Lead");
        String agent = registry.child("Agent", lead);
        for (String query : List.of("", "?dry_run=1")) {
            assertThat(registry.post("/workspaces/" + lead + "/move" + query, parent(agent), ADMIN))
                    .hasToString("409 {\"error\":\"a workspace cannot be moved below itself\"}");
            assertThat(registry.post(
                            "/workspaces/" + lead + "/move" + query,
                            parent(UUID.randomUUID().toString()),
                            ADMIN))
                    .hasToString("400 {\"error\":\"parent workspace not found\"}");
            assertThat(registry.post("/workspaces/" + UUID.randomUUID() + "/move" + query, parent(null), ADMIN))
                    .hasToString("404 {\"error\":\"workspace not found\"}");
            assertThat(registry.post("/workspaces/" + lead + "/move" + query, "{}", ADMIN))
                    .hasToString("400 {\"error\":\"parent_id is required: the id of a workspace, or null for none\"}");
        }
        assertThat(registry.post("/workspaces/" + lead + "/move?dry_run=maybe", parent(null), ADMIN))
                .hasToString("400 {\"error\":\"dry_run must be 1 or 0\"}");
        assertThat(registry.post("/workspaces/" + agent + "/move?dry_run=1", parent(null), registry.token(agent))
                        .status())
                .isEqualTo(401);
        assertThat(registry.see(agent).path("parent_id").asText()).isEqualTo(lead);
    }

    @Test
    void nobody_counts_who_may_talk_to_nobody() {
        String lead = registry.create("Lead");
        String away = registry.create("Away");
        registry.child("Cut off", lead);
        String cutOff = registry.child("Quarantined", lead);
        registry.post("/workspaces/" + cutOff + "/quarantine", "{}", ADMIN);

        var answer = registry.post("/workspaces/" + away + "/move?dry_run=1", parent(lead), ADMIN);

        assertThat(names(answer.json().path("gains"))).containsExactly("Cut off");
    }

    private void grant(String key, String branch) {
        registry.send(
                HttpMethod.PUT,
                "/settings/secrets",
                "{\"key\":\"%s\",\"value\":\"v\",\"grants\":[\"%s\"]}".formatted(key, branch),
                ADMIN);
    }

    private static UUID id(String text) {
        return UUID.fromString(text);
    }

    private static String parent(@Nullable String id) {
        return id == null ? "{\"parent_id\":null}" : "{\"parent_id\":\"%s\"}".formatted(id);
    }

    private static List<String> names(JsonNode others) {
        return others.path("workspaces").findValuesAsText("name");
    }

    private static Set<UUID> idsOf(JsonNode others) {
        var ids = new TreeSet<UUID>();
        others.path("workspaces").forEach(other -> ids.add(id(other.path("id").asText())));
        assertThat(others.path("count").asInt()).isEqualTo(ids.size());
        return ids;
    }

    private static Set<UUID> difference(UUID of, AccessRule allowing, AccessRule refusing) {
        var ids = new TreeSet<UUID>();
        for (var other : allowing.parents().keySet()) {
            if (allowing.allows(of, other) && !refusing.allows(of, other)) {
                ids.add(other);
            }
        }
        return ids;
    }
}
