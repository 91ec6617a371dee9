package ai.molecule.runtime.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.runtime.agent.AgentSetup;
import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which models an endpoint of one's own says that it has. */
class ChoosingAModelTest {

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '\'',
            value = {
                "200, '{\"data\":[{\"id\":\"llama3:8b\"},{\"id\":\"qwen\"}]}', 'llama3:8b,qwen'",
                "200, '{\"data\":[]}', ''",
                "200, '{}', ''",
                "200, 'no JSON', ''",
                "404, '{\"data\":[{\"id\":\"x\"}]}', ''"
            })
    void an_endpoint_lists_its_models_or_says_nothing(int status, String answer, String names) throws Exception {
        var endpoint = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        endpoint.createContext("/v1/models", exchange -> {
            try (exchange) {
                boolean asked =
                        "Bearer sk-1".equals(exchange.getRequestHeaders().getFirst("Authorization"));
                byte[] body = answer.getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(asked ? status : 401, body.length);
                exchange.getResponseBody().write(body);
            }
        });
        endpoint.start();
        String url = "http://127.0.0.1:" + endpoint.getAddress().getPort() + "/v1";

        assertThat(EndpointModels.at(url + "/", "sk-1").orElse(List.of()))
                .isEqualTo(names.isEmpty() ? List.of() : List.of(names.split(",")));
        endpoint.stop(0);
        assertThat(EndpointModels.at(url, "sk-1")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "anthropic:claude-opus-4-7, llama3:8b, llama3:8b",
        "anthropic:claude-opus-4-7, claude-opus-4-7, claude-opus-4-7",
        "anthropic:claude-opus-4-7, '', claude-opus-4-7",
        "openai:mine, llama3:8b, mine"
    })
    void a_model_that_nobody_chose_is_the_first_that_the_endpoint_has(String model, String has, String asked)
            throws Exception {
        var endpoint = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        endpoint.createContext("/v1/models", exchange -> {
            try (exchange) {
                byte[] body = "{\"data\":[{\"id\":\"%s\"}]}".formatted(has).getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
            }
        });
        endpoint.start();
        var environment = Map.of(
                "OPENAI_BASE_URL", "http://127.0.0.1:" + endpoint.getAddress().getPort() + "/v1");

        var chosen = ModelEndpoint.of(new AgentSetup("langgraph", model, "", List.of(), 0, () -> "", environment));

        assertThat(chosen.model()).isEqualTo(asked);
        endpoint.stop(0);
    }
}
