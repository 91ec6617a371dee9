package ai.molecule.proxy.models;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** {@code /model-providers} and {@code /workspaces/:id/models}: what somebody hears who is no workspace. */
@ExtendWith(VertxExtension.class)
class ListingModelsForPeopleTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @SuppressWarnings("NullAway.Init")
    private DoorUnderTest door;

    @BeforeEach
    void start(Vertx vertx) {
        door = new DoorUnderTest(vertx, folder, limits -> limits, "ADMIN_TOKEN", "root");
    }

    @Test
    void an_administrator_hears_which_providers_a_workspace_may_use_and_no_key() {
        String body = ask("/workspaces/" + door.workspace + "/models", 200);

        assertThat(ready(body)).contains("fake", "ollama").doesNotContain("groq");
        assertThat(body).contains("\"fake:m\"", "\"secret\":\"FAKE_KEY\"").doesNotContain(DoorUnderTest.KEY);
    }

    @Test
    void a_provider_is_ready_for_all_once_its_secret_is_set_for_all() {
        assertThat(ready(ask("/model-providers", 200))).contains("ollama").doesNotContain("fake");

        door.proxy.platform.globalSecrets.add("FAKE_KEY");

        assertThat(ready(ask("/model-providers", 200))).contains("fake", "ollama");
    }

    @Test
    void nobody_without_a_credential_hears_it() {
        for (String path : List.of("/model-providers", "/workspaces/" + UUID.randomUUID() + "/models")) {
            assertThat(door.proxy.client.get(path).send().await().statusCode())
                    .as(path)
                    .isEqualTo(401);
        }
    }

    private String ask(String path, int status) {
        var response = door.proxy
                .client
                .get(path)
                .putHeader("Authorization", "Bearer root")
                .send()
                .await();
        assertThat(response.statusCode()).as(response.bodyAsString()).isEqualTo(status);
        return response.bodyAsString();
    }

    private static List<String> ready(String body) {
        return new JsonObject(body)
                .getJsonArray("providers").stream()
                        .map(row -> (JsonObject) row)
                        .filter(row -> row.getBoolean("ready"))
                        .map(row -> row.getString("name"))
                        .toList();
    }
}
