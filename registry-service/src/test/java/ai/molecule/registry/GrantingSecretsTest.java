package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Global secrets that some branches may read, and when they were last read. */
class GrantingSecretsTest {

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry registry;

    @BeforeAll
    static void start() {
        registry = RunningRegistry.start("SECRETS_ENCRYPTION_KEY", "a raw key of exactly 32 bytes !!");
    }

    @AfterAll
    static void stop() {
        registry.close();
    }

    @AfterEach
    void forgetGlobals() {
        registry.sql("DELETE FROM global_secrets");
    }

    @Test
    void a_granted_secret_is_told_to_its_branch_and_to_nobody_else() {
        String lead = registry.create("Lead");
        String child = registry.child("Child", lead);
        String grandchild = registry.child("Grandchild", child);
        String sibling = registry.child("Sibling", lead);

        assertThat(setGlobal("BANK_PIN", "0000", "[\"%s\"]".formatted(child)).status())
                .isEqualTo(200);

        assertThat(values(child)).isEqualTo("200 {\"BANK_PIN\":\"0000\"}");
        assertThat(values(grandchild)).isEqualTo("200 {\"BANK_PIN\":\"0000\"}");
        for (String outside : List.of(lead, sibling, registry.create("Elsewhere"))) {
            assertThat(values(outside)).isEqualTo("200 {}");
            assertThat(registry.get("/workspaces/" + outside + "/secrets", ADMIN))
                    .hasToString("200 []");
        }
        assertThat(registry.get("/settings/secrets", ADMIN).json().path(0).path("grants"))
                .hasToString("[\"%s\"]".formatted(child));
        assertThat(registry.get("/workspaces/" + child + "/secrets", ADMIN).body())
                .doesNotContain("grants");
    }

    @Test
    void a_new_value_opens_a_secret_to_nobody_else_and_null_to_everybody() {
        String child = registry.child("Child", registry.create("Lead"));
        String outside = registry.create("Elsewhere");
        setGlobal("PIN", "1", "[\"%s\"]".formatted(child));

        registry.post("/admin/secrets", "{\"key\":\"PIN\",\"value\":\"2\"}", ADMIN);
        assertThat(values(child)).isEqualTo("200 {\"PIN\":\"2\"}");
        assertThat(values(outside)).isEqualTo("200 {}");

        setGlobal("PIN", "3", "null");
        assertThat(values(outside)).isEqualTo("200 {\"PIN\":\"3\"}");
        assertThat(registry.get("/settings/secrets", ADMIN).body()).doesNotContain("grants");
    }

    @Test
    void a_grant_whose_workspace_was_purged_keeps_everybody_else_out() {
        String lead = registry.create("Lead");
        setGlobal("PIN", "1", "[\"%s\"]".formatted(lead));

        registry.delete("/workspaces/" + lead + "?confirm=true&purge=true", ADMIN);

        assertThat(values(registry.create("Elsewhere"))).isEqualTo("200 {}");
    }

    @Test
    void those_who_gain_or_lose_a_secret_are_restarted_and_nobody_else() {
        String old = registry.create("Old");
        String fresh = registry.create("Fresh");
        String below = registry.child("Below", fresh);
        registry.create("Elsewhere");
        setGlobal("PIN", "1", "[\"%s\"]".formatted(old));
        registry.sql("DELETE FROM restart_requests");

        setGlobal("PIN", "1", "[\"%s\"]".formatted(fresh));

        assertThat(registry.sql("SELECT workspace_id FROM restart_requests").stream()
                        .map(row -> row.getUUID("workspace_id").toString()))
                .containsExactlyInAnyOrder(old, fresh, below);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[]",
                "{}",
                "\"x\"",
                "[1]",
                "[null]",
                "[\"nonsense\"]",
                "[\"00000000-0000-4000-8000-000000000000\"]"
            })
    void a_grant_to_nobody_who_exists_is_refused(String grants) {
        assertThat(setGlobal("PIN", "1", grants))
                .hasToString("400 {\"error\":\"grants must be null or name 1 to 100 workspaces\"}");
        assertThat(registry.get("/settings/secrets", ADMIN)).hasToString("200 []");
    }

    @Test
    void when_a_secret_was_last_read_is_told_with_it() {
        String id = registry.create("Reader");
        registry.post("/workspaces/" + id + "/secrets", "{\"key\":\"OWN\",\"value\":\"v\"}", ADMIN);
        registry.post("/workspaces/" + id + "/secrets", "{\"key\":\"COVERED\",\"value\":\"mine\"}", ADMIN);
        setGlobal("COVERED", "1", "null");
        setGlobal("READ", "1", "null");
        assertThat(registry.get("/settings/secrets", ADMIN).body()).doesNotContain("last_read_at");

        values(id);

        await().untilAsserted(() -> assertThat(
                        registry.get("/settings/secrets", ADMIN).json().findParents("last_read_at"))
                .extracting(secret -> secret.path("key").asText())
                .containsExactly("READ"));
        await().untilAsserted(() -> assertThat(registry.get("/workspaces/" + id + "/secrets", ADMIN)
                        .json()
                        .findParents("last_read_at"))
                .extracting(secret -> secret.path("key").asText())
                .containsExactly("COVERED", "OWN", "READ"));
        assertThat(registry.sql("SELECT FROM workspace_secrets WHERE last_read_at < created_at")
                        .size())
                .isZero();
    }

    private static RunningRegistry.Answer setGlobal(String key, String value, String grants) {
        return registry.send(
                HttpMethod.PUT,
                "/settings/secrets",
                "{\"key\":\"%s\",\"value\":\"%s\",\"grants\":%s}".formatted(key, value, grants),
                ADMIN);
    }

    private static String values(String id) {
        return registry.get("/workspaces/" + UUID.fromString(id) + "/secrets/values", ADMIN)
                .toString();
    }
}
