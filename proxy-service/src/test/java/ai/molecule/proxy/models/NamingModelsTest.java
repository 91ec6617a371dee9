package ai.molecule.proxy.models;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.bus.registry.BudgetOf;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An organisation gives models names of its own, which count for everybody below the workspace they were given to. */
@ExtendWith(VertxExtension.class)
class NamingModelsTest {

    private static final String FAST = "{\"model\":\"fast\"}";

    private final UUID root = UUID.randomUUID();

    @SuppressWarnings("NullAway.Init")
    private DoorUnderTest door;

    @BeforeEach
    void start(Vertx vertx, @TempDir Path folder) {
        door = new DoorUnderTest(vertx, folder);
        door.provider.saysWhole("{\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":10}}");
        door.proxy.platform.teams = List.of(new BudgetOf.Team(root, null, "month"));
    }

    @Test
    void a_name_of_the_organisation_is_answered_by_its_model_and_says_which() {
        name(root, "fast", "unkeyed:x", "fake:m");

        var response = door.ask(DoorUnderTest.CHAT, FAST);

        assertThat(response.getHeader("X-Molecule-Model")).isEqualTo("fake:m");
        assertThat(door.provider.asked.getFirst().body()).isEqualTo("{\"model\":\"m\"}");
        assertThat(door.row().getLong("cost_micros")).isEqualTo(110);
        assertThat(door.get("/models")
                        .bodyAsJsonObject()
                        .getJsonArray("aliases")
                        .encode())
                .startsWith("[{\"name\":\"fast\",\"ready\":true,\"models\":[\"unkeyed:x\",\"fake:m\"]}");
        assertThat(door.get(DoorUnderTest.CHAT.replace("chat/completions", "models"))
                        .bodyAsString())
                .contains("\"id\":\"fast\"");
    }

    @Test
    void the_nearest_counts_and_the_operators_last() {
        name(root, "best", "openai:m");
        name(root, "fast", "openai:m");
        name(door.workspace, "fast", "fake:m");

        assertThat(door.ask(DoorUnderTest.CHAT, FAST).getHeader("X-Molecule-Model"))
                .isEqualTo("fake:m");
        assertThat(door.ask(DoorUnderTest.CHAT, "{\"model\":\"best\"}").getHeader("X-Molecule-Model"))
                .isEqualTo("openai:m");
        assertThat(names(door.workspace)).containsExactly("fast fake:m own", "best openai:m above");

        remove(door.workspace, "fast");
        remove(root, "best");

        assertThat(names(door.workspace)).containsExactly("fast openai:m above", "best unkeyed:x operator");
        assertThat(remove(root, "best").statusCode()).isEqualTo(404);
    }

    @Test
    void of_another_organisation_it_is_nobodys_name() {
        name(UUID.randomUUID(), "fast", "fake:m");

        var response = door.ask(DoorUnderTest.CHAT, FAST);

        assertThat(response.getHeader("X-Molecule-Model")).isEqualTo("openai:fast");
        assertThat(names(door.workspace)).containsExactly("best unkeyed:x operator");
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '\'',
            value = {
                "Fast, '[\"fake:m\"]', 'needs a name of lower-case letters, digits and dashes'",
                "fast, '[]', 'needs models, one at least'",
                "fast, '\"fake:m\"', 'has models that are no list'",
                "fast, '[\"m\"]', 'has a model that is not written as provider:model: m'",
                "fast, '[\"nobody:m\"]', 'names a provider that there is none of: nobody'"
            })
    void what_is_wrong_is_said(String name, String models, String why) {
        var response = change(HttpMethod.PUT, root, name, "{\"models\":" + models + "}");

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.bodyAsJsonObject().getString("error")).isEqualTo("alias " + name + " " + why);
    }

    @Test
    void there_are_as_many_as_may_be() {
        IntStream.range(0, PgModelAliases.OWN_MAX).forEach(n -> name(root, "n" + n, "fake:m"));

        assertThat(change(HttpMethod.PUT, root, "more", "{\"models\":[\"fake:m\"]}")
                        .statusCode())
                .isEqualTo(409);
        assertThat(change(HttpMethod.PUT, root, "n1", "{\"models\":[\"openai:m\"]}")
                        .statusCode())
                .isEqualTo(200);
    }

    private void name(UUID workspace, String name, String... models) {
        String list = List.of(models).stream()
                .map(model -> "\"" + model + "\"")
                .collect(Collectors.joining(",", "{\"models\":[", "]}"));
        assertThat(change(HttpMethod.PUT, workspace, name, list).statusCode()).isEqualTo(200);
    }

    private HttpResponse<Buffer> remove(UUID workspace, String name) {
        return change(HttpMethod.DELETE, workspace, name, "");
    }

    private HttpResponse<Buffer> change(HttpMethod method, UUID workspace, String name, String body) {
        return door.proxy
                .client
                .request(method, "/workspaces/" + workspace + "/model-aliases/" + name)
                .putHeader("Authorization", "Bearer " + door.token)
                .sendBuffer(Buffer.buffer(body))
                .await();
    }

    /** Each with its first model and whose it is. */
    private List<String> names(UUID workspace) {
        return door
                .get("/workspaces/" + workspace + "/model-aliases")
                .bodyAsJsonObject()
                .getJsonArray("aliases")
                .stream()
                .map(JsonObject.class::cast)
                .map(alias -> alias.getString("name") + " "
                        + alias.getJsonArray("models").getString(0) + " " + whose(alias.getString("of")))
                .toList();
    }

    private String whose(String of) {
        return of == null ? "operator" : of.equals(door.workspace.toString()) ? "own" : "above";
    }
}
