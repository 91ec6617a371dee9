package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.bus.registry.KeepSecret;
import ai.molecule.common.bus.registry.KeptSecret;
import ai.molecule.common.bus.registry.SetSecrets;
import ai.molecule.common.testing.TestStores;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code POST /admin/secrets/rotate}: another {@code SECRETS_ENCRYPTION_KEY}, and what was sealed before. */
@Tag("stores")
class RotatingKeysTest {

    private static final String OLD = "a raw key of exactly 32 bytes !!";
    private static final String NEW = "another key of exactly 32 bytes!";

    /** A value of the release that knew no key ids, sealed with {@link #OLD}. */
    private static final String VERSION_1 = "AAECAwQFBgcICQoL2Tk5WYFMxDiw/1ej313SY+I0YXcRzDyOrCbiWVs4";

    @SuppressWarnings("NullAway.Init")
    private String database;

    @BeforeEach
    void create() {
        database = TestStores.freshDatabase();
    }

    @AfterEach
    void drop() {
        TestStores.drop(database);
    }

    @Test
    void everything_is_sealed_anew_and_then_the_old_key_is_needed_no_more() {
        String id;
        try (var before = start("SECRETS_ENCRYPTION_KEY", OLD)) {
            id = before.create("Keeper");
            var many = IntStream.range(0, 99).boxed().collect(Collectors.toMap(i -> "K" + i, i -> "v" + i));
            before.bus
                    .call(SetSecrets.CONTRACT, new SetSecrets(UUID.fromString(id), many, false))
                    .await();
            before.bus
                    .call(KeepSecret.CONTRACT, new KeepSecret("notifications/a", "https://hooks.example/T/B/x"))
                    .await();
            setOf(before, before.create("Other"), "ONE");
            setOf(before, before.create("Third"), "ONE");
            before.post("/settings/secrets", "{\"key\":\"SHARED\",\"value\":\"for all\"}", ADMIN);
            before.sql(
                    "UPDATE workspace_secrets SET encrypted_value = $1, encryption_version = 1, key_id = NULL WHERE key = 'K7'",
                    Buffer.buffer(Base64.getDecoder().decode(VERSION_1)));
            before.sql(
                    "UPDATE workspace_secrets SET encrypted_value = 'clear', encryption_version = 0, key_id = NULL WHERE key = 'K8'");
        }

        try (var rotating = start("SECRETS_ENCRYPTION_KEY", NEW, "SECRETS_ENCRYPTION_KEYS_OLD", OLD)) {
            assertThat(values(rotating, id)).contains("\"K7\":\"an older value\"", "\"K8\":\"clear\"", "\"K9\":\"v9\"");
            assertThat(rotating.post("/admin/secrets/rotate", "", ADMIN).body())
                    .matches("\\{\"key_id\":\"[0-9a-f]{16}\",\"rotated\":104,\"remaining\":0}");
            assertThat(rotating.post("/admin/secrets/rotate", "", ADMIN)
                            .json()
                            .path("rotated")
                            .asInt())
                    .isZero();
            assertThat(rotating.post("/admin/secrets/rotate", "", rotating.token(rotating.create("Agent")))
                            .status())
                    .isEqualTo(401);
        }

        try (var after = start("SECRETS_ENCRYPTION_KEY", NEW)) {
            assertThat(values(after, id))
                    .contains(
                            "\"K7\":\"an older value\"",
                            "\"K8\":\"clear\"",
                            "\"K98\":\"v98\"",
                            "\"SHARED\":\"for all\"");
            assertThat(after.count("workspace_secrets WHERE encryption_version <> 2"))
                    .isZero();
            assertThat(after.bus
                            .call(KeptSecret.CONTRACT, new KeptSecret("notifications/a"))
                            .await()
                            .value())
                    .isEqualTo("https://hooks.example/T/B/x");
        }
    }

    @Test
    void what_no_key_opens_is_left_alone_and_counted() {
        try (var before = start("SECRETS_ENCRYPTION_KEY", OLD)) {
            setOf(before, before.create("Keeper"), "K");
        }

        try (var after = start("SECRETS_ENCRYPTION_KEY", NEW)) {
            assertThat(after.post("/admin/secrets/rotate", "", ADMIN).body())
                    .endsWith("\"rotated\":0,\"remaining\":1}");
        }
        try (var back = start("SECRETS_ENCRYPTION_KEY", OLD)) {
            String id = back.sql("SELECT workspace_id FROM workspace_secrets")
                    .iterator()
                    .next()
                    .getUUID(0)
                    .toString();
            assertThat(values(back, id)).isEqualTo("200 {\"K\":\"v\"}");
        }
    }

    @Test
    void without_a_key_there_is_nothing_to_seal_with_and_old_ones_must_be_keys() {
        try (var bare = start()) {
            assertThat(bare.post("/admin/secrets/rotate", "", ADMIN))
                    .hasToString("409 {\"error\":\"SECRETS_ENCRYPTION_KEY is not set\"}");
        }
        assertThatThrownBy(() -> RegistryConfig.fromEnv(
                        Map.of("DATABASE_URL", database, "SECRETS_ENCRYPTION_KEYS_OLD", OLD + ",short")))
                .hasMessageContaining("SECRETS_ENCRYPTION_KEYS_OLD must be keys");
    }

    private RunningRegistry start(String... overrides) {
        var all = new ArrayList<>(List.of("DATABASE_URL", database));
        all.addAll(Arrays.asList(overrides));
        return RunningRegistry.start(all.toArray(String[]::new));
    }

    private static void setOf(RunningRegistry registry, String id, String key) {
        registry.post("/workspaces/" + id + "/secrets", "{\"key\":\"%s\",\"value\":\"v\"}".formatted(key), ADMIN);
    }

    private static String values(RunningRegistry registry, String id) {
        return registry.get("/workspaces/" + id + "/secrets/values", ADMIN).toString();
    }
}
