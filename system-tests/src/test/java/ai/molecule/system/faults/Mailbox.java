package ai.molecule.system.faults;

import ai.molecule.system.PlatformApi;
import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A receiver of webhooks, as a person has one: what came, in the order in which it came. */
final class Mailbox implements AutoCloseable {

    private final HttpServer server;
    private final List<JsonNode> taken = new CopyOnWriteArrayList<>();
    private final AtomicInteger refusals = new AtomicInteger();

    Mailbox() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        server.createContext("/", exchange -> {
            var told = PlatformApi.JSON.readTree(exchange.getRequestBody().readAllBytes());
            boolean refused = refusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
            if (!refused) {
                taken.add(told);
            }
            exchange.sendResponseHeaders(refused ? 500 : 204, -1);
            exchange.close();
        });
        server.start();
    }

    String url() {
        return "http://127.0.0.1:%d/".formatted(server.getAddress().getPort());
    }

    /** Answers 500 so many times. */
    void refuse(int times) {
        refusals.set(times);
    }

    List<JsonNode> taken() {
        return List.copyOf(taken);
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
