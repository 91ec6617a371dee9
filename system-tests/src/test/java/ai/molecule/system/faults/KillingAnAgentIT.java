package ai.molecule.system.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.system.Platform;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A SIGKILL to an agent of the runtime in the middle of a person's message: the agent, begun again, goes on, and the person gets its answer. */
@Tag("full")
class KillingAnAgentIT {

    private static final String HI =
            "data: {\"id\":\"1\",\"model\":\"scripted\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi.\"},"
                    + "\"finish_reason\":null}]}\n\n"
                    + "data: {\"id\":\"1\",\"model\":\"scripted\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
                    + "data: [DONE]\n\n";

    @Test
    void the_person_who_waits_gets_the_answer_of_the_agent_that_was_begun_again(@TempDir Path data) throws Exception {
        try (var model = new HangingModel();
                var platform = Platform.up(data, "--no-demo")) {
            platform.put("/settings/secrets", "{\"key\":\"OPENAI_BASE_URL\",\"value\":\"" + model.url() + "\"}");
            String id = platform.create("Solo", "langgraph", null);
            platform.awaitStatus(id, "online");

            var said = CompletableFuture.supplyAsync(() -> platform.say(id, "hello"));
            await().until(() -> model.asked.get() == 1);
            platform.agentProcess(id).destroyForcibly();

            assertThat(said.join()).isEqualTo("Hi.");
            assertThat(model.asked).as("the turn that was cut, and once more").hasValue(2);
            await().untilAsserted(() -> assertThat(platform.get("/workspaces/" + id + "/tasks"))
                    .singleElement()
                    .satisfies(task -> assertThat(task.get("status").asText()).isEqualTo("ok")));
        }
    }

    /** Keeps the first who asks it for the person waiting, and says Hi to all others. */
    private static final class HangingModel implements AutoCloseable {
        final AtomicInteger asked = new AtomicInteger();
        private final HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        private final CompletableFuture<Void> end = new CompletableFuture<>();

        HangingModel() throws IOException {
            server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
            server.createContext("/v1/chat/completions", this::answer);
            server.start();
        }

        String url() {
            return "http://127.0.0.1:" + server.getAddress().getPort() + "/v1";
        }

        private void answer(HttpExchange exchange) throws IOException {
            try (exchange) {
                String request = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
                boolean persons = request.contains("hello\""); // the platform tells it of its restart, too
                if (persons && asked.incrementAndGet() == 1) {
                    end.join();
                }
                exchange.getResponseHeaders().add("Content-Type", "text/event-stream");
                exchange.sendResponseHeaders(200, 0);
                exchange.getResponseBody().write(HI.getBytes(StandardCharsets.UTF_8));
            }
        }

        @Override
        public void close() {
            end.complete(null);
            server.stop(0);
        }
    }
}
