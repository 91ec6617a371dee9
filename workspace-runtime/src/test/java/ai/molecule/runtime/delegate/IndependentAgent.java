package ai.molecule.runtime.delegate;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.a2a.A2A;
import io.a2a.server.ServerCallContext;
import io.a2a.server.TransportMetadata;
import io.a2a.server.agentexecution.AgentExecutor;
import io.a2a.server.agentexecution.RequestContext;
import io.a2a.server.auth.UnauthenticatedUser;
import io.a2a.server.events.EventQueue;
import io.a2a.server.events.InMemoryQueueManager;
import io.a2a.server.requesthandlers.DefaultRequestHandler;
import io.a2a.server.tasks.InMemoryPushNotificationConfigStore;
import io.a2a.server.tasks.InMemoryTaskStore;
import io.a2a.server.tasks.TaskUpdater;
import io.a2a.spec.AgentCapabilities;
import io.a2a.spec.AgentCard;
import io.a2a.spec.AgentSkill;
import io.a2a.spec.SendMessageRequest;
import io.a2a.spec.TextPart;
import io.a2a.transport.jsonrpc.handler.JSONRPCHandler;
import io.a2a.util.Utils;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** An agent made with somebody else's library: it answers {@code other: <text>}, and fails when told {@code fail}. */
public final class IndependentAgent implements AutoCloseable {

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpServer server;
    private final JSONRPCHandler handler;

    IndependentAgent() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        var tasks = new InMemoryTaskStore();
        handler = new JSONRPCHandler(
                card(url().toString()),
                DefaultRequestHandler.create(
                        new Answering(),
                        tasks,
                        new InMemoryQueueManager(tasks),
                        new InMemoryPushNotificationConfigStore(),
                        task -> {},
                        threads),
                threads);
        server.setExecutor(threads);
        server.createContext("/", this::call);
        server.start();
    }

    URI url() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }

    private void call(HttpExchange exchange) throws IOException {
        var request = Utils.OBJECT_MAPPER.readValue(exchange.getRequestBody(), SendMessageRequest.class);
        var context = new ServerCallContext(UnauthenticatedUser.INSTANCE, Map.of(), Set.of());
        byte[] answer = Utils.OBJECT_MAPPER
                .writeValueAsString(handler.onMessageSend(request, context))
                .getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, answer.length);
        exchange.getResponseBody().write(answer);
        exchange.close();
    }

    private static AgentCard card(String url) {
        return new AgentCard.Builder()
                .name("Other")
                .description("Somebody else's")
                .url(url)
                .version("1")
                .protocolVersion("0.3.0")
                .preferredTransport("JSONRPC")
                .capabilities(new AgentCapabilities.Builder().streaming(true).build())
                .defaultInputModes(List.of("text/plain"))
                .defaultOutputModes(List.of("text/plain"))
                .skills(List.of(new AgentSkill.Builder()
                        .id("other")
                        .name("Other")
                        .description("Answers")
                        .tags(List.of("test"))
                        .build()))
                .build();
    }

    /** Found by its name in META-INF/services: without one the library refuses the card. */
    public static final class JsonRpc implements TransportMetadata {

        @Override
        public String getTransportProtocol() {
            return "JSONRPC";
        }
    }

    private static final class Answering implements AgentExecutor {

        @Override
        public void execute(RequestContext context, EventQueue events) {
            var updater = new TaskUpdater(context, events);
            String text = context.getUserInput(" ");
            if (context.getTask() == null) {
                updater.submit();
            }
            updater.startWork();
            if (text.equals("fail")) {
                updater.fail(A2A.createAgentTextMessage("cannot", context.getContextId(), context.getTaskId()));
            } else {
                updater.addArtifact(List.of(new TextPart("other: " + text)));
                updater.complete();
            }
        }

        @Override
        public void cancel(RequestContext context, EventQueue events) {
            new TaskUpdater(context, events).cancel();
        }
    }
}
