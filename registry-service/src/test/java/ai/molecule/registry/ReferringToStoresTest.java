package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.SecretsFor;
import ai.molecule.common.bus.registry.SecretsFor.Purpose;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Secrets whose values stand in a store outside: who may say so, and what is handed out. */
class ReferringToStoresTest {

    private static final String KEY = "a raw key of exactly 32 bytes !!";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    static Path folder;

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry registry;

    @SuppressWarnings("NullAway.Init")
    private static Persons people;

    @BeforeAll
    static void start() {
        registry = RunningRegistry.start("SECRETS_ENCRYPTION_KEY", KEY, "MOLECULE_SECRET_FOLDERS", folder.toString());
        people = Persons.of(registry);
    }

    @AfterAll
    static void stop() {
        people.close();
        registry.close();
    }

    @AfterEach
    void forget() {
        registry.sql("DELETE FROM workspaces");
        registry.sql("DELETE FROM global_secrets");
    }

    @Test
    void a_reference_is_listed_by_its_store_and_its_value_is_handed_out() throws IOException {
        String id = registry.create("Referring");
        write("token", "hush\n");

        assertThat(refer("/workspaces/" + id + "/secrets", "TOKEN", "file:" + folder.resolve("token"), ADMIN))
                .hasToString("200 {\"status\":\"saved\",\"key\":\"TOKEN\"}");
        assertThat(refer("/settings/secrets", "SHARED", "file:" + folder.resolve("token"), ADMIN)
                        .status())
                .isEqualTo(200);

        assertThat(registry.get("/workspaces/" + id + "/secrets", ADMIN).json().findValuesAsText("store"))
                .containsExactly("file", "file");
        assertThat(registry.get("/settings/secrets", ADMIN).body())
                .contains("\"store\":\"file\"")
                .doesNotContain("hush");
        assertThat(values(id)).isEqualTo("200 {\"SHARED\":\"hush\",\"TOKEN\":\"hush\"}");
        var row = registry.sql("SELECT * FROM workspace_secrets WHERE workspace_id = $1", UUID.fromString(id))
                .iterator()
                .next();
        assertThat(row.getInteger("encryption_version")).isEqualTo(3);
        assertThat(row.getBuffer("encrypted_value").toString()).doesNotContain("token");
    }

    @Test
    void a_reference_is_sealed_like_a_value_and_replaced_by_one_by_whoever_may_set_secrets() throws IOException {
        String id = registry.create("Replaced");
        String path = "/workspaces/" + id + "/secrets";
        refer(path, "TOKEN", "file:" + write("replaced", "hush"), ADMIN);

        var rotated = registry.post("/admin/secrets/rotate", "", ADMIN).json();
        assertThat(rotated.path("rotated").asInt()).isZero();
        assertThat(rotated.path("remaining").asInt()).isZero();
        assertThat(values(id)).isEqualTo("200 {\"TOKEN\":\"hush\"}");

        registry.post(path, "{\"key\":\"TOKEN\",\"value\":\"own\"}", registry.token(id));
        assertThat(registry.get(path, ADMIN).body()).doesNotContain("store");
        assertThat(registry.sql(
                        "SELECT FROM workspace_secrets WHERE store IS NOT NULL AND workspace_id = $1",
                        UUID.fromString(id)))
                .isEmpty();
    }

    @Test
    void a_value_that_looks_like_a_reference_stays_a_value() {
        String id = registry.create("Literal", "\"secrets\":{\"BORN\":\"file:/etc/passwd\"}");

        registry.post("/workspaces/" + id + "/secrets", "{\"key\":\"SET\",\"value\":\"vault:a/data/b#c\"}", ADMIN);

        assertThat(values(id)).isEqualTo("200 {\"BORN\":\"file:/etc/passwd\",\"SET\":\"vault:a/data/b#c\"}");
        assertThat(registry.get("/workspaces/" + id + "/secrets", ADMIN).body()).doesNotContain("store");
    }

    @Test
    void without_one_of_its_values_an_agent_gets_none_and_the_answer_names_the_key() throws IOException {
        String id = registry.create("Half");
        var file = write("half", "hush-half");
        refer("/workspaces/" + id + "/secrets", "HALF", "file:" + file, ADMIN);
        registry.post("/workspaces/" + id + "/secrets", "{\"key\":\"WHOLE\",\"value\":\"hush-whole\"}", ADMIN);
        registry.post("/workspaces/" + id + "/secrets", "{\"key\":\"OPENAI_API_KEY\",\"value\":\"hush-model\"}", ADMIN);
        Files.delete(file);

        assertThat(values(id))
                .isEqualTo(
                        "503 {\"error\":\"these secrets cannot be read from their stores: workspace:HALF (the store file has no such secret)."
                                + " No secret is handed out until all can be read\",\"failed_keys\":[\"workspace:HALF\"]}");
        assertThatThrownBy(() -> bundle(id, Purpose.START))
                .isInstanceOfSatisfying(
                        ApiError.class, error -> assertThat(error.kind()).isEqualTo(ApiError.Kind.UNAVAILABLE));
        assertThat(bundle(id, Purpose.MODELS).values()).isEqualTo(Map.of("OPENAI_API_KEY", "hush-model"));

        write("half", "back");
        assertThat(values(id)).contains("\"HALF\":\"back\"");
    }

    @Test
    void a_reference_is_an_owners_to_set() throws IOException {
        String id = registry.create("Guarded");
        var file = write("guarded", "hush");
        String own = registry.token(id);
        String path = "/workspaces/" + id + "/secrets";
        String refused =
                "403 {\"error\":\"only an owner of the organization may set a reference, because the platform's machine reads it:"
                        + " set a value, or ask an owner\"}";

        String operator = people.come("olly", "\"role\":\"operator\"");
        String ofBranch = people.come("bea", "\"role\":\"operator\",\"branch\":\"%s\"".formatted(id));
        String owner = people.come("olga", "\"role\":\"owner\"");
        for (String bearer : List.of(operator, ofBranch, own)) {
            assertThat(refer(path, "TOKEN", "file:" + file, bearer)).hasToString(refused);
        }
        assertThat(registry.get(path, ADMIN)).hasToString("200 []");
        assertThat(refer(path, "TOKEN", "file:" + file, owner).status()).isEqualTo(200);
        assertThat(registry.get(path + "/values", own)).hasToString("200 {\"TOKEN\":\"hush\"}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"secrets\":{\"K\":{\"reference\":\"file:/x\"}},\"name\":\"Never\"}",
                "{\"secrets\":{\"K\":{\"value\":\"x\"}},\"name\":\"Never\"}"
            })
    void a_creation_takes_values_only(String body) {
        assertThat(registry.post("/workspaces", body, ADMIN))
                .hasToString("400 {\"error\":\"invalid workspace payload\"}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"key\":\"K\",\"reference\":\"http://example.org\"}",
                "{\"key\":\"K\",\"reference\":\"\"}",
                "{\"key\":\"K\",\"reference\":7}",
                "{\"key\":\"K\",\"reference\":null}",
                "{\"key\":\"K\",\"value\":\"v\",\"reference\":\"file:/x\"}",
                "{\"key\":\"K\",\"reference\":\"vault:secret/data/a#b\"}",
                "{\"key\":\"K\",\"reference\":\"exec:anything\"}",
                "{\"key\":\"K\",\"reference\":\"file:/etc/passwd\"}",
                "{\"key\":\"K\",\"reference\":\"file:relative\"}",
                "{\"key\":\"MODEL_PROVIDER\",\"reference\":\"file:/x\"}"
            })
    void a_reference_to_nothing_the_operator_opened_is_refused(String body) {
        String id = registry.create("Refused");

        for (String path : new String[] {"/workspaces/" + id + "/secrets", "/settings/secrets"}) {
            assertThat(registry.post(path, body, ADMIN).status()).isEqualTo(400);
            assertThat(registry.get(path, ADMIN)).hasToString("200 []");
        }
    }

    @Test
    void a_reference_cannot_be_made_of_a_value_by_its_row() {
        String id = registry.create("Forged");
        registry.post("/workspaces/" + id + "/secrets", "{\"key\":\"K\",\"value\":\"file:/etc/passwd\"}", ADMIN);

        registry.sql(
                "UPDATE workspace_secrets SET encryption_version = 3, store = 'file' WHERE workspace_id = $1",
                UUID.fromString(id));

        assertThat(values(id)).startsWith("500 ").contains("workspace:K");
    }

    private static Path write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    private static RunningRegistry.Answer refer(String path, String key, String reference, String bearer) {
        return registry.post(path, "{\"key\":\"%s\",\"reference\":\"%s\"}".formatted(key, reference), bearer);
    }

    private static String values(String id) {
        return registry.get("/workspaces/" + id + "/secrets/values", ADMIN).toString();
    }

    private static SecretsFor.Bundle bundle(String id, Purpose purpose) {
        return registry.bus
                .call(SecretsFor.CONTRACT, new SecretsFor(UUID.fromString(id), purpose))
                .await();
    }
}
