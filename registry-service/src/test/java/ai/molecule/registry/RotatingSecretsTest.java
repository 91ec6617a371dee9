package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.registry.IssueStartToken;
import ai.molecule.common.bus.registry.SecretsFor;
import ai.molecule.common.bus.registry.SecretsFor.Purpose;
import io.vertx.core.http.HttpMethod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What another value of a secret means to agents that run: who is restarted, who asks again, and who still has the old one. */
class RotatingSecretsTest {

    private static final MovableClock CLOCK = new MovableClock();

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry registry;

    @BeforeAll
    static void start() {
        registry = RunningRegistry.startAt(CLOCK, "SECRETS_ENCRYPTION_KEY", "a raw key of exactly 32 bytes !!");
    }

    @AfterAll
    static void stop() {
        registry.close();
    }

    @AfterEach
    void forget() {
        registry.sql("DELETE FROM workspaces");
        registry.sql("DELETE FROM global_secrets");
        registry.sql("DELETE FROM restart_requests");
    }

    @Test
    void an_agent_that_follows_its_secrets_asks_again_and_is_not_restarted() {
        String id = running("Follower");
        set(id, "TOKEN", "first");
        setForAll("SHARED", "first");
        String token = follow(id);
        long before = versionTold(id, token);

        set(id, "TOKEN", "second");
        setForAll("SHARED", "second");

        assertThat(restartRequests()).doesNotContain(id);
        assertThat(outdated("/workspaces/" + id + "/secrets")).containsExactly(id, id);
        assertThat(outdated("/settings/secrets")).containsExactly(id);
        assertThat(versionTold(id, token)).isGreaterThan(before);
        assertThat(registry.get("/workspaces/" + id + "/secrets/values?follow=true", token))
                .hasToString("200 {\"SHARED\":\"second\",\"TOKEN\":\"second\"}");
        assertThat(outdated("/workspaces/" + id + "/secrets")).isEmpty();
        assertThat(outdated("/settings/secrets")).isEmpty();
    }

    @Test
    void other_agents_restart_and_are_named_until_they_have() {
        String id = running("Program");
        set(id, "TOKEN", "first");
        started(id);
        registry.sql("DELETE FROM restart_requests");

        set(id, "TOKEN", "second");

        assertThat(restartRequests()).containsExactly(id);
        assertThat(outdated("/workspaces/" + id + "/secrets")).containsExactly(id);
        bundle(id, Purpose.MASK);
        assertThat(outdated("/workspaces/" + id + "/secrets")).containsExactly(id);
        started(id);
        assertThat(outdated("/workspaces/" + id + "/secrets")).isEmpty();
    }

    @Test
    void a_follower_restarts_for_a_new_secret_a_deleted_one_and_what_is_read_at_the_start() {
        String id = running("Follower");
        set(id, "TOKEN", "first");
        set(id, "MODEL_PROVIDER", "first");
        follow(id);

        for (Runnable change : List.<Runnable>of(
                () -> set(id, "NEW", "first"),
                () -> set(id, "MODEL_PROVIDER", "second"),
                () -> registry.delete("/workspaces/" + id + "/secrets/TOKEN", ADMIN),
                () -> setForAll("ANOTHER", "first"))) {
            registry.sql("DELETE FROM restart_requests");
            change.run();
            assertThat(restartRequests()).contains(id);
        }
    }

    @Test
    void whoever_followed_before_its_last_start_is_restarted() {
        String id = running("Restarted");
        set(id, "TOKEN", "first");
        follow(id);
        registry.sql("UPDATE workspaces SET incarnation = incarnation + 1 WHERE id = $1", UUID.fromString(id));
        registry.sql("DELETE FROM restart_requests");

        set(id, "TOKEN", "second");

        assertThat(restartRequests()).containsExactly(id);
    }

    @Test
    void another_key_of_a_provider_restarts_nobody() {
        String id = running("Asking models");
        set(id, "OPENAI_API_KEY", "first");
        started(id);
        registry.sql("DELETE FROM restart_requests");

        set(id, "OPENAI_API_KEY", "second");

        assertThat(restartRequests()).isEmpty();
        assertThat(outdated("/workspaces/" + id + "/secrets")).isEmpty();
        assertThat(bundle(id, Purpose.MODELS).values()).containsEntry("OPENAI_API_KEY", "second");
        set(id, "OPENAI_API_KEY", " ");
        assertThat(restartRequests()).containsExactly(id);
    }

    @Test
    void an_agent_with_trouble_restarts_for_another_value_in_any_case() {
        String id = running("Without its key");
        set(id, "OPENAI_API_KEY", "wrong");
        set(id, "TOKEN", "wrong");
        setForAll("ANTHROPIC_API_KEY", "wrong");
        follow(id);
        registry.sql("UPDATE workspaces SET status = 'degraded' WHERE id = $1", UUID.fromString(id));

        for (Runnable change : List.<Runnable>of(
                () -> set(id, "OPENAI_API_KEY", "right"),
                () -> set(id, "TOKEN", "right"),
                () -> setForAll("ANTHROPIC_API_KEY", "right"))) {
            registry.sql("DELETE FROM restart_requests");
            change.run();
            assertThat(restartRequests()).containsExactly(id);
        }
    }

    @Test
    void a_covered_secret_is_nobodys_older_value() {
        String id = running("Covering");
        setForAll("SHARED", "first");
        set(id, "SHARED", "mine");
        started(id);

        setForAll("SHARED", "second");

        assertThat(outdated("/settings/secrets")).isEmpty();
        assertThat(outdated("/workspaces/" + id + "/secrets")).isEmpty();
    }

    @Test
    void the_list_of_agents_marks_those_that_run_with_an_older_value() {
        String own = running("Own secret");
        String shared = running("Shared secret");
        String covering = running("Covering secret");
        String models = running("Key of a provider");
        String none = running("No secret");
        set(own, "TOKEN", "first");
        set(covering, "SHARED", "mine");
        set(models, "OPENAI_API_KEY", "first");
        setForAll("SHARED", "first", own, shared, covering, models);
        for (String id : new String[] {own, shared, covering, models, none}) {
            started(id);
        }
        assertThat(marked()).isEmpty();

        CLOCK.advance(Duration.ofSeconds(1));
        set(own, "TOKEN", "second");
        set(models, "OPENAI_API_KEY", "second");
        assertThat(marked()).containsExactly(own);
        started(own);
        assertThat(marked()).isEmpty();

        CLOCK.advance(Duration.ofSeconds(1));
        setForAll("SHARED", "second", own, shared, covering, models);
        assertThat(marked()).containsExactlyInAnyOrder(own, shared, models);
        registry.sql("UPDATE workspaces SET status = 'paused'");
        assertThat(marked()).isEmpty();
    }

    /** Those that the list marks. */
    private static List<String> marked() {
        var ids = new ArrayList<String>();
        registry.get("/workspaces", ADMIN).json().forEach(workspace -> {
            if (workspace.path("secrets_outdated").asBoolean()) {
                ids.add(workspace.path("id").asText());
            }
        });
        return ids;
    }

    @Test
    void the_last_use_names_the_agent_and_is_written_once_a_minute() {
        String id = running("Reader");
        String other = running("Other reader");
        setForAll("SHARED", "first");
        started(id);
        String first = lastUse("SHARED", "last_read_at");
        assertThat(lastUse("SHARED", "last_read_by")).isEqualTo(id);
        assertThat(registry.get("/workspaces/" + id + "/secrets", ADMIN).body()).contains("\"last_read_by\":\"" + id);
        assertThat(registry.get("/workspaces/" + other + "/secrets", ADMIN).body())
                .doesNotContain("last_read_by");

        CLOCK.advance(Duration.ofSeconds(59));
        setForAll("ANOTHER", "first");
        started(other);
        assertThat(lastUse("ANOTHER", "last_read_by")).isEqualTo(other);
        assertThat(lastUse("SHARED", "last_read_at")).isEqualTo(first);

        CLOCK.advance(Duration.ofSeconds(1));
        started(other);
        await().until(() -> lastUse("SHARED", "last_read_by").equals(other));
        assertThat(lastUse("SHARED", "last_read_at")).isGreaterThan(first);
    }

    /** Once it was written. */
    private static String lastUse(String key, String member) {
        return await().until(
                        () -> {
                            for (var secret :
                                    registry.get("/settings/secrets", ADMIN).json()) {
                                if (secret.path("key").asText().equals(key)) {
                                    return secret.path(member).asText("");
                                }
                            }
                            return "";
                        },
                        found -> !found.isEmpty());
    }

    private static String running(String name) {
        String id = registry.create(name);
        registry.sql("UPDATE workspaces SET status = 'online' WHERE id = $1", UUID.fromString(id));
        return id;
    }

    /** As the provisioner asks when it starts an agent. */
    private static void started(String id) {
        bundle(id, Purpose.START);
    }

    /** The token of its present start, with which it asked for its secrets. */
    private static String follow(String id) {
        int incarnation = registry.sql("SELECT incarnation FROM workspaces WHERE id = $1", UUID.fromString(id))
                .iterator()
                .next()
                .getInteger(0);
        String token = registry.bus
                .call(IssueStartToken.CONTRACT, new IssueStartToken(UUID.fromString(id), incarnation))
                .await()
                .token();
        assertThat(registry.get("/workspaces/" + id + "/secrets/values?follow=true", token)
                        .status())
                .isEqualTo(200);
        registry.sql("DELETE FROM restart_requests");
        return token;
    }

    private static long versionTold(String id, String token) {
        return registry.post("/registry/heartbeat", "{\"workspace_id\":\"%s\"}".formatted(id), token)
                .json()
                .path("secrets_version")
                .asLong();
    }

    private static void set(String id, String key, String value) {
        assertThat(registry.post(
                                "/workspaces/" + id + "/secrets",
                                "{\"key\":\"%s\",\"value\":\"%s\"}".formatted(key, value),
                                ADMIN)
                        .status())
                .isEqualTo(200);
    }

    /** @param granted to whom; to everybody where nobody is named */
    private static void setForAll(String key, String value, String... granted) {
        String grants = granted.length == 0 ? "" : ",\"grants\":[\"%s\"]".formatted(String.join("\",\"", granted));
        assertThat(registry.send(
                                HttpMethod.PUT,
                                "/settings/secrets",
                                "{\"key\":\"%s\",\"value\":\"%s\"%s}".formatted(key, value, grants),
                                ADMIN)
                        .status())
                .isEqualTo(200);
    }

    private static List<String> outdated(String path) {
        var ids = new ArrayList<String>();
        registry.get(path, ADMIN)
                .json()
                .forEach(secret -> secret.path("outdated").forEach(id -> ids.add(id.asText())));
        return ids;
    }

    private static List<String> restartRequests() {
        return registry.sql("SELECT workspace_id FROM restart_requests").stream()
                .map(row -> row.getUUID("workspace_id").toString())
                .toList();
    }

    private static SecretsFor.Bundle bundle(String id, Purpose purpose) {
        return registry.bus
                .call(SecretsFor.CONTRACT, new SecretsFor(UUID.fromString(id), purpose))
                .await();
    }
}
