package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.registry.ListManaged;
import ai.molecule.common.bus.registry.SecretsFor;
import ai.molecule.common.bus.registry.SetSecrets;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Secrets of a workspace and those of all: set, listed, deleted, and told to whom they belong. */
class KeepingSecretsTest {

    private static final String KEY = "a raw key of exactly 32 bytes !!";

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry registry;

    @BeforeAll
    static void start() {
        registry = RunningRegistry.start("SECRETS_ENCRYPTION_KEY", KEY);
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
    void a_secret_is_listed_and_never_shown() {
        String id = registry.create("Keeper");

        assertThat(set(id, "B_KEY", "hush-b")).hasToString("200 {\"status\":\"saved\",\"key\":\"B_KEY\"}");
        assertThat(registry.post("/workspaces/" + id + "/secrets", body("A_KEY", "hush-a"), ADMIN))
                .hasToString("200 {\"status\":\"saved\",\"key\":\"A_KEY\"}");

        var list = registry.get("/workspaces/" + id + "/secrets", ADMIN);
        assertThat(list.body())
                .startsWith("[{\"key\":\"A_KEY\",\"has_value\":true,\"scope\":\"workspace\",\"created_at\":\"");
        assertThat(list.json().findValuesAsText("key")).containsExactly("A_KEY", "B_KEY");
        assertThat(list.json().path(0).has("updated_at")).isTrue();
        assertThat(list.body()).doesNotContain("hush");
        assertThat(registry.get("/workspaces/" + registry.create("Bare") + "/secrets", ADMIN))
                .hasToString("200 []");
    }

    @Test
    void what_is_stored_is_sealed_and_a_second_set_replaces_it() {
        String id = registry.create("Keeper");
        set(id, "KEY", "first");
        set(id, "KEY", "second");

        var row = registry.sql("SELECT * FROM workspace_secrets WHERE workspace_id = $1", UUID.fromString(id))
                .iterator()
                .next();
        assertThat(row.getInteger("encryption_version")).isEqualTo(2);
        assertThat(row.getString("key_id")).matches("[0-9a-f]{16}");
        assertThat(row.getBuffer("encrypted_value").length()).isEqualTo(12 + "second".length() + 16);
        assertThat(row.getBuffer("encrypted_value").toString()).doesNotContain("second");
        assertThat(registry.get("/workspaces/" + id + "/secrets/values", null))
                .hasToString("401 {\"error\":\"missing workspace auth token\"}");
        assertThat(registry.get("/workspaces/" + id + "/secrets/values", ADMIN))
                .hasToString("200 {\"KEY\":\"second\"}");
    }

    @Test
    void a_workspaces_own_value_covers_the_global_one() {
        String id = registry.create("Keeper");
        assertThat(registry.send(HttpMethod.PUT, "/settings/secrets", body("SHARED", "for all"), ADMIN))
                .hasToString("200 {\"status\":\"saved\",\"key\":\"SHARED\",\"scope\":\"global\"}");
        registry.post("/admin/secrets", body("AAA", "also for all"), ADMIN);
        set(id, "SHARED", "mine");

        var list = registry.get("/workspaces/" + id + "/secrets", ADMIN).json();
        assertThat(list.findValuesAsText("key")).containsExactly("SHARED", "AAA");
        assertThat(list.findValuesAsText("scope")).containsExactly("workspace", "global");
        assertThat(values(id)).isEqualTo("200 {\"AAA\":\"also for all\",\"SHARED\":\"mine\"}");
        registry.delete("/workspaces/" + id + "/secrets/SHARED", ADMIN);
        assertThat(values(id)).isEqualTo("200 {\"AAA\":\"also for all\",\"SHARED\":\"for all\"}");
    }

    @Test
    void globals_are_for_administrators_by_either_address() {
        registry.post("/settings/secrets", body("GLOBAL", "hush"), ADMIN);

        for (String path : List.of("/settings/secrets", "/admin/secrets")) {
            var list = registry.get(path, ADMIN);
            assertThat(list.body())
                    .startsWith("[{\"key\":\"GLOBAL\",\"has_value\":true,")
                    .doesNotContain("hush");
            assertThat(list.json().path(0).path("scope").asText()).isEqualTo("global");
            assertThat(registry.get(path, registry.token(registry.create("Agent")))
                            .status())
                    .isEqualTo(401);
        }
        assertThat(registry.delete("/admin/secrets/GLOBAL", ADMIN))
                .hasToString("200 {\"status\":\"deleted\",\"key\":\"GLOBAL\",\"scope\":\"global\"}");
        assertThat(registry.delete("/settings/secrets/GLOBAL", ADMIN))
                .hasToString("404 {\"error\":\"secret not found\"}");
        assertThat(registry.get("/settings/secrets", ADMIN)).hasToString("200 []");
    }

    @Test
    void a_secret_is_deleted_once() {
        String id = registry.create("Keeper");
        set(id, "KEY", "value");

        assertThat(registry.delete("/workspaces/" + id + "/secrets/KEY", ADMIN))
                .hasToString("200 {\"status\":\"deleted\",\"key\":\"KEY\"}");
        assertThat(registry.delete("/workspaces/" + id + "/secrets/KEY", ADMIN))
                .hasToString("404 {\"error\":\"secret not found\"}");
        assertThat(values(id)).isEqualTo("200 {}");
    }

    @Test
    void values_are_for_the_agent_alone_once_it_has_a_token() {
        String id = registry.create("Keeper");
        set(id, "KEY", "hush");
        String path = "/workspaces/" + id + "/secrets/values";
        assertThat(registry.get(path, ADMIN).status()).isEqualTo(200);

        String token = registry.token(id);

        assertThat(registry.get(path, token)).hasToString("200 {\"KEY\":\"hush\"}");
        assertThat(registry.get(path, ADMIN)).hasToString("401 {\"error\":\"invalid workspace auth token\"}");
        assertThat(registry.get(path, null)).hasToString("401 {\"error\":\"missing workspace auth token\"}");
        assertThat(registry.get(path, registry.token(registry.create("Other"))))
                .hasToString("401 {\"error\":\"invalid workspace auth token\"}");
        assertThat(registry.get("/workspaces/" + id + "/secrets", token).status())
                .isEqualTo(200);
    }

    @Test
    void a_bundle_with_an_unreadable_value_is_refused_whole() {
        String id = registry.create("Keeper");
        set(id, "GOOD", "hush");
        set(id, "BAD", "value");
        registry.post("/settings/secrets", body("WORSE", "value"), ADMIN);
        registry.sql("UPDATE workspace_secrets SET encrypted_value = $1 WHERE key = 'BAD'", Buffer.buffer("garbage"));
        registry.sql("UPDATE global_secrets SET encryption_version = 7 WHERE key = 'WORSE'");

        assertThat(values(id))
                .isEqualTo(
                        "500 {\"error\":\"one or more secrets failed to decrypt; refusing to return partial bundle\","
                                + "\"failed_keys\":[\"global:WORSE\",\"workspace:BAD\"]}");
        assertThat(bundle(id)).isEqualTo(new SecretsFor.Bundle(Map.of(), List.of("global:WORSE", "workspace:BAD")));
    }

    @Test
    void a_workspace_is_created_with_its_secrets() {
        String id = registry.create("Born rich", "\"secrets\":{\"ONE\":\"1\",\"TWO\":\"zwölf\"}");

        assertThat(bundle(id).values()).containsExactlyInAnyOrderEntriesOf(Map.of("ONE", "1", "TWO", "zwölf"));
        assertThat(registry.sql("SELECT FROM restart_requests WHERE workspace_id = $1", UUID.fromString(id)))
                .isEmpty(); // its first start reads them
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"K\":7}|invalid workspace payload",
                "{\"K\":null}|invalid workspace payload",
                "[\"K\"]|invalid workspace payload",
                "\"K\"|invalid workspace payload",
                "{\"K\":\"\"}|secret value must be a text that is not empty",
                "{\"PATH\":\"/tmp\"}|secret key PATH is reserved for the platform",
                "{\"K\":\"a\\u0000b\"}|invalid workspace payload"
            })
    void a_creation_with_a_bad_secret_creates_nothing(String secrets, String error) {
        long before = registry.count("workspaces");

        assertThat(registry.post("/workspaces", "{\"name\":\"Never\",\"secrets\":%s}".formatted(secrets), ADMIN))
                .hasToString("400 {\"error\":\"%s\"}".formatted(error));
        assertThat(registry.count("workspaces")).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"key\":\"K\"}",
                "{\"value\":\"v\"}",
                "{\"key\":\"\",\"value\":\"v\"}",
                "{\"key\":\"K\",\"value\":\"\"}",
                "{\"key\":null,\"value\":null}",
                "{\"key\":1,\"value\":\"v\"}",
                "{\"key\":\"K\",\"value\":{}}",
                "{\"key\":\"K\",\"value\":\"a\\u0000b\"}",
                "[]",
                ""
            })
    void a_set_without_a_key_and_a_value_is_refused(String body) {
        String id = registry.create("Keeper");

        for (String path : List.of("/workspaces/" + id + "/secrets", "/settings/secrets")) {
            assertThat(registry.post(path, body, ADMIN)).hasToString("400 {\"error\":\"invalid request body\"}");
        }
        assertThat(values(id)).isEqualTo("200 {}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "PATH",
                "home",
                "WORKSPACE_ID",
                "MOLECULE_AGENT_PORT",
                "LD_PRELOAD",
                "ld_audit",
                "JAVA_TOOL_OPTIONS"
            })
    void names_the_platform_or_a_loader_obeys_are_reserved(String key) {
        assertThat(set(registry.create("Keeper"), key, "v"))
                .hasToString("400 {\"error\":\"secret key %s is reserved for the platform\"}".formatted(key));
    }

    @Test
    void keys_and_values_are_taken_up_to_their_limits_and_not_beyond() {
        String id = registry.create("Keeper");

        assertThat(set(id, "k".repeat(128), "v".repeat(65_536)).status()).isEqualTo(200);
        assertThat(set(id, "k".repeat(129), "v").status()).isEqualTo(400);
        assertThat(set(id, "K", "ü".repeat(32_769)))
                .hasToString("400 {\"error\":\"secret value must be at most 65536 bytes\"}");
        assertThat(set(id, "K", "\\ud800")).hasToString("400 {\"error\":\"invalid request body\"}");
        for (String key : List.of("1K", "A=B", "A B", "-K", "Ä", "K\\n")) {
            assertThat(set(id, key, "v").body()).startsWith("{\"error\":\"secret key must be at most 128 letters");
        }
        assertThat(bundle(id).values()).hasSize(1);
    }

    @Test
    void a_workspace_keeps_a_hundred_secrets_and_no_more() {
        String id = registry.create("Keeper");
        var hundred = IntStream.range(0, 100).boxed().collect(Collectors.toMap(i -> "K" + i, i -> "v"));
        assertThat(setOverBus(id, hundred)).isEqualTo(100);

        assertThat(set(id, "ONE_MORE", "v")).hasToString("409 {\"error\":\"maximum 100 secrets\"}");
        assertThat(set(id, "K7", "changed").status()).isEqualTo(200);
        assertThat(bundle(id).values()).hasSize(100).containsEntry("K7", "changed");
    }

    @Test
    void a_change_restarts_the_agent_by_itself() {
        String id = registry.create("Agent");

        set(id, "KEY", "v");

        await().until(() -> registry.bus
                        .call(ListManaged.CONTRACT, ListManaged.one(UUID.fromString(id)))
                        .await()
                        .workspaces()
                        .getFirst()
                        .incarnation()
                == 2);
    }

    @Test
    void an_import_sets_all_or_none() {
        String id = registry.create("Imported");

        assertThatThrownBy(() -> setOverBus(id, Map.of("GOOD", "v", "PATH", "/tmp")))
                .hasMessage("secret key PATH is reserved for the platform");
        assertThat(bundle(id).values()).isEmpty();
        assertThatThrownBy(() -> setOverBus(UUID.randomUUID().toString(), Map.of("GOOD", "v")))
                .hasMessage("workspace not found");
        assertThat(new SetSecrets(UUID.fromString(id), Map.of("K", "hush"), true).toString())
                .contains("K")
                .doesNotContain("hush");
    }

    @Test
    void nothing_is_kept_for_a_workspace_that_is_not_there() {
        String unknown = UUID.randomUUID().toString();
        String removed = registry.create("Gone");
        set(removed, "KEY", "v");
        registry.delete("/workspaces/" + removed, ADMIN);

        for (String id : List.of(unknown, removed)) {
            assertThat(set(id, "KEY", "v")).hasToString("404 {\"error\":\"workspace not found\"}");
            assertThat(values(id)).isEqualTo("404 {\"error\":\"workspace not found\"}");
        }
        assertThat(registry.delete("/workspaces/" + unknown + "/secrets/KEY", ADMIN))
                .hasToString("404 {\"error\":\"secret not found\"}");
        for (String path : List.of("/secrets", "/secrets/values", "/model")) {
            assertThat(registry.get("/workspaces/nonsense" + path, ADMIN))
                    .hasToString("400 {\"error\":\"invalid workspace ID\"}");
        }
        registry.delete("/workspaces/" + removed + "?confirm=true&purge=true", ADMIN);
        assertThat(registry.sql("SELECT FROM workspace_secrets WHERE workspace_id = $1", UUID.fromString(removed)))
                .isEmpty();
    }

    private static RunningRegistry.Answer set(String id, String key, String value) {
        return registry.send(HttpMethod.PUT, "/workspaces/" + id + "/secrets", body(key, value), ADMIN);
    }

    private static String body(String key, String value) {
        return "{\"key\":\"%s\",\"value\":\"%s\"}".formatted(key, value);
    }

    private static String values(String id) {
        return registry.get("/workspaces/" + id + "/secrets/values", ADMIN).toString();
    }

    private static SecretsFor.Bundle bundle(String id) {
        return registry.bus
                .call(SecretsFor.CONTRACT, new SecretsFor(UUID.fromString(id)))
                .await();
    }

    private static int setOverBus(String id, Map<String, String> values) {
        return registry.bus
                .call(SetSecrets.CONTRACT, new SetSecrets(UUID.fromString(id), values, false))
                .await()
                .count();
    }
}
