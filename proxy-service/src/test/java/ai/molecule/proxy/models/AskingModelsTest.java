package ai.molecule.proxy.models;

import static ai.molecule.proxy.ProxyUnderTest.seen;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What a workspace asks reaches the provider as it is, with the provider's key, and the answer comes back as it is. */
@ExtendWith(VertxExtension.class)
class AskingModelsTest {

    @SuppressWarnings("NullAway.Init")
    private DoorUnderTest door;

    @BeforeEach
    void start(Vertx vertx, @TempDir Path folder) {
        door = new DoorUnderTest(vertx, folder);
    }

    @Test
    void a_chat_completion_passes_byte_for_byte() {
        String question =
                "{ \"model\":\"m\", \"messages\":[{\"role\":\"user\",\"content\":\"h\\u00e9\"}], \"n\":1.10 }";
        String answer = "{\"choices\" : [] ,\"usage\":{\"prompt_tokens\":1.0e1,\"completion_tokens\":5}}\n";
        door.provider.saysWhole(answer);

        var response = door.ask(DoorUnderTest.CHAT, question, "X-Molecule-Context", "c-1", "OpenAI-Beta", "x=1");

        assertThat(seen(response)).isEqualTo("200 " + answer);
        var asked = door.provider.asked.getFirst();
        assertThat(asked.body()).isEqualTo(question);
        assertThat(asked.uri()).isEqualTo("/v1/chat/completions");
        assertThat(asked.headers().get("Authorization")).isEqualTo("Bearer " + DoorUnderTest.KEY);
        assertThat(asked.headers().get("OpenAI-Beta")).isEqualTo("x=1");
        assertThat(asked.headers().toString()).doesNotContain(door.token, "X-Molecule", "X-Workspace");
    }

    @Test
    void of_a_name_with_a_provider_the_provider_gets_the_model_alone() {
        door.provider.saysWhole("{}");

        door.ask(DoorUnderTest.CHAT, "{\"messages\":[],\"model\":\"fake:a:b/c\" }");

        assertThat(door.provider.asked.getFirst().body()).isEqualTo("{\"messages\":[],\"model\":\"a:b/c\" }");
    }

    @Test
    void a_key_may_stand_where_each_protocol_has_it() {
        door.provider.saysWhole("{}");

        for (String header : new String[] {"x-api-key", "x-goog-api-key"}) {
            var response = door.proxy
                    .client
                    .post(DoorUnderTest.MESSAGES + "?beta=true")
                    .putHeader(header, door.token)
                    .putHeader("anthropic-version", "2023-06-01")
                    .sendBuffer(Buffer.buffer("{\"model\":\"m\"}"))
                    .await();
            assertThat(seen(response)).isEqualTo("200 {}");
        }
        var asked = door.provider.asked.getFirst();
        assertThat(asked.uri()).isEqualTo("/v1/messages?beta=true");
        assertThat(asked.headers().get("anthropic-version")).isEqualTo("2023-06-01");
        assertThat(asked.headers().toString()).doesNotContain(door.token);
    }

    @Test
    void googles_model_stands_in_the_path() {
        door.provider.saysWhole("{}");

        door.ask("/models/google/v1beta/models/m:streamGenerateContent?alt=sse&key=" + door.token, "{\"contents\":[]}");
        door.ask("/models/google/v1beta/models/fake:m:countTokens", "{}");

        assertThat(door.provider.asked)
                .extracting(FakeProvider.Asked::uri)
                .containsExactly("/g/models/m:streamGenerateContent?alt=sse", "/g/models/m:countTokens");
    }

    @Test
    void a_stream_passes_byte_for_byte_whatever_its_pieces() {
        door.provider.saysEvents(
                "event: message_start\r\nda", "ta: {\"type\":\"x\"}\r", "\n\r\n: ping\n\n", "data: [DONE]\n\n", "rest");

        var response = door.ask(DoorUnderTest.MESSAGES, "{\"model\":\"m\",\"stream\":true}");

        assertThat(response.bodyAsString())
                .isEqualTo("event: message_start\r\ndata: {\"type\":\"x\"}\r\n\r\n: ping\n\ndata: [DONE]\n\nrest");
        assertThat(response.getHeader("Content-Type")).isEqualTo("text/event-stream");
    }

    @Test
    void usage_that_only_the_door_asked_for_is_kept_from_the_caller() {
        door.provider.saysEvents(
                "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}],\"usage\":null}\n\n",
                "data: {\"usage\" : null , \"choices\":[]}\n\n",
                "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":3}}\n\n",
                "data: [DONE]\n\n");

        var response = door.ask(DoorUnderTest.CHAT, "{\"model\":\"m\",\"stream\":true}");

        assertThat(door.provider.asked.getFirst().body())
                .isEqualTo("{\"stream_options\":{\"include_usage\":true},\"model\":\"m\",\"stream\":true}");
        assertThat(response.bodyAsString())
                .isEqualTo("data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\n"
                        + "data: { \"choices\":[]}\n\n"
                        + "data: [DONE]\n\n");
        assertThat(door.row().getLong("tokens_in")).isEqualTo(7);
    }

    @Test
    void usage_that_the_caller_asked_for_stays() {
        String usage = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":3}}\n\n";
        door.provider.saysEvents(usage);
        String question = "{\"model\":\"m\",\"stream\":true,\"stream_options\":{\"include_usage\":true}}";

        var response = door.ask(DoorUnderTest.CHAT, question);

        assertThat(door.provider.asked.getFirst().body()).isEqualTo(question);
        assertThat(response.bodyAsString()).isEqualTo(usage);
    }

    @Test
    void programs_may_try_the_address_with_their_key_and_strangers_learn_nothing_by_it() {
        for (String path : List.of("/models/anthropic", "/models/openai/v1/anything", "/models/nobody")) {
            var request = door.proxy.client.request(HttpMethod.HEAD, path);

            assertThat(request.send().await().statusCode()).as(path).isEqualTo(401);
        }
        var request = door.proxy.client.request(HttpMethod.HEAD, "/models/anthropic");

        assertThat(request.putHeader("x-api-key", door.token).send().await().statusCode())
                .isEqualTo(200);
    }

    @Test
    void what_may_be_used_is_listed_in_each_protocol() {
        var all = door.get("/models").bodyAsJsonObject().getJsonArray("providers").stream()
                .map(row -> (JsonObject) row)
                .toList();

        assertThat(all)
                .filteredOn(row -> row.getBoolean("ready"))
                .extracting(row -> row.getString("name"))
                .contains("fake", "ollama")
                .doesNotContain("groq", "azure-openai");
        assertThat(door.get("/models/openai/v1/models").bodyAsString())
                .contains("{\"id\":\"fake:m\",\"object\":\"model\"", "{\"id\":\"m\",");
        assertThat(door.get("/models/anthropic/v1/models").bodyAsJsonObject().getBoolean("has_more"))
                .isFalse();
        assertThat(door.get("/models/google/v1beta/models").bodyAsString()).contains("\"name\":\"models/m\"");
    }

    @Test
    void one_that_may_be_used_is_shown_in_each_protocol_and_others_are_not_found_in_its_words() {
        assertThat(door.get("/models/openai/v1/models/fake:m").bodyAsString())
                .isEqualTo("{\"id\":\"fake:m\",\"object\":\"model\",\"created\":0,\"owned_by\":\"molecule\"}");
        assertThat(door.get("/models/openai/v1/models/best").statusCode()).isEqualTo(200);
        assertThat(door.get("/models/anthropic/v1/models/m").bodyAsString())
                .startsWith("{\"type\":\"model\",\"id\":\"m\",\"display_name\":\"m\"");
        assertThat(door.get("/models/google/v1beta/models/m").bodyAsString()).startsWith("{\"name\":\"models/m\"");

        for (String name : List.of("nowhere:m", "unkeyed:m", "fake:")) {
            var refused = door.get("/models/openai/v1/models/" + name);
            assertThat(refused.statusCode()).as(name).isEqualTo(404);
            assertThat(refused.bodyAsString()).contains("\"type\":\"invalid_request_error\"", "GET /models ");
        }
        assertThat(door.get("/models/google/v1beta/models/unkeyed:m").bodyAsString())
                .contains("\"status\":\"NOT_FOUND\"");
    }
}
