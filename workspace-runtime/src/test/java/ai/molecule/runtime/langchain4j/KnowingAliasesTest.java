package ai.molecule.runtime.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.runtime.agent.GivenModels;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whether a model's name is one that the platform's door knows; a door that does not answer is left to say so later. */
class KnowingAliasesTest {

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '\'',
            value = {
                "200, '{\"aliases\":[{\"name\":\"fast\"}]}', true",
                "200, '{\"aliases\":[{\"name\":\"slow\"}]}', false",
                "200, '{}', false",
                "404, '{}', false",
                "503, '{}', true",
                "200, 'no JSON', true"
            })
    void a_name_is_an_alias(int status, String answer, boolean alias) throws IOException {
        var door = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        door.createContext("/models", exchange -> {
            try (exchange) {
                boolean asked =
                        "Bearer sk-door".equals(exchange.getRequestHeaders().getFirst("Authorization"));
                byte[] body = answer.getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(asked ? status : 401, body.length);
                exchange.getResponseBody().write(body);
            }
        });
        door.start();
        int port = door.getAddress().getPort();

        assertThat(DoorAliases.knows(given(port), "fast")).isEqualTo(alias);
        door.stop(0);
        assertThat(DoorAliases.knows(given(port), "fast")).isTrue();
    }

    private static GivenModels given(int port) {
        return GivenModels.in(Map.of(
                        "MOLECULE_MODEL_DOOR", "http://127.0.0.1:" + port + "/models", "MOLECULE_MODEL_KEY", "sk-door"))
                .orElseThrow();
    }
}
