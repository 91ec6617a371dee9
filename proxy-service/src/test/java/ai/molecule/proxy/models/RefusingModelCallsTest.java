package ai.molecule.proxy.models;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What the door refuses says what to do, in the shape that the program reads; nothing leaves, nothing is charged. */
@ExtendWith(VertxExtension.class)
class RefusingModelCallsTest {

    @SuppressWarnings("NullAway.Init")
    private DoorUnderTest door;

    @BeforeEach
    void start(Vertx vertx, @TempDir Path folder) {
        door = new DoorUnderTest(vertx, folder);
    }

    @AfterEach
    void nothingLeft() {
        assertThat(door.provider.asked).isEmpty();
        assertThat(door.query("SELECT 1 FROM proxy.model_calls WHERE workspace_id = $1"))
                .isEmpty();
        assertThat(door.spent() + door.reserved()).isZero();
    }

    @Test
    void a_provider_that_nobody_knows() {
        var response = door.ask(DoorUnderTest.CHAT, "{\"model\":\"nobody:m\"}");

        assertThat(response.statusCode()).isEqualTo(404);
        var error = response.bodyAsJsonObject().getJsonObject("error");
        assertThat(error.getString("type")).isEqualTo("invalid_request_error");
        assertThat(error.getString("message")).contains("no provider is called nobody", "provider:model", "anthropic");
    }

    @Test
    void a_protocol_that_the_provider_does_not_speak() {
        var response = door.ask(DoorUnderTest.MESSAGES + "/count_tokens", "{\"model\":\"gone:m\"}");

        assertThat(response.bodyAsJsonObject().getString("type")).isEqualTo("error");
        var error = response.bodyAsJsonObject().getJsonObject("error");
        assertThat(error.getString("type")).isEqualTo("not_found_error");
        assertThat(error.getString("message")).contains("ask at /models/openai instead");
    }

    @Test
    void a_provider_without_a_key() {
        door.proxy.platform.secrets.clear();

        var response = door.ask("/models/google/v1beta/models/m:generateContent", "{}");

        assertThat(response.statusCode()).isEqualTo(403);
        var error = response.bodyAsJsonObject().getJsonObject("error");
        assertThat(error.getInteger("code")).isEqualTo(403);
        assertThat(error.getString("status")).isEqualTo("PERMISSION_DENIED");
        assertThat(error.getString("message")).contains("FAKE_KEY");
    }

    @Test
    void what_is_no_question() {
        assertThat(message(door.ask(DoorUnderTest.CHAT, "[]"))).contains("must be a JSON object");
        assertThat(message(door.ask(DoorUnderTest.CHAT, "{\"model\":"))).contains("one JSON object");
        assertThat(message(door.ask(DoorUnderTest.CHAT, "{\"model\":7}"))).contains("model is required");
        assertThat(message(door.ask("/models/google/v1beta/models/m:sing", "{}")))
                .contains("generateContent");
        assertThat(door.ask("/models/google/v1beta/models/a%2Fb:generateContent", "{}")
                        .statusCode())
                .isEqualTo(404);
    }

    @Test
    void whoever_is_no_workspace() {
        for (String bearer : new String[] {"nobodys", "x"}) {
            var response = door.askAs(bearer, DoorUnderTest.MESSAGES, "{\"model\":\"m\"}");

            assertThat(response.statusCode()).isEqualTo(401);
            assertThat(response.bodyAsJsonObject().getJsonObject("error").getString("type"))
                    .isEqualTo("authentication_error");
        }
        door.proxy.platform.suspend(door.workspace);
        assertThat(door.askAs(door.proxy.platform.tokenOf(door.workspace), DoorUnderTest.CHAT, "{}")
                        .statusCode())
                .isEqualTo(403);
    }

    private static String message(HttpResponse<Buffer> response) {
        assertThat(response.statusCode()).isGreaterThanOrEqualTo(400);
        return response.bodyAsJsonObject().getJsonObject("error").getString("message");
    }
}
