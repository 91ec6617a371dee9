package ai.molecule.system;

import ai.molecule.testkit.Waits;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Says to an agent whatever one wants, in either binding of A2A, and takes what comes as it comes. */
final class A2aCaller {

    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    /** Where its card is below. */
    final String root;

    /** Where JSON-RPC goes, and below which the paths of HTTP+JSON are. */
    final String address;

    A2aCaller(String root, String address) {
        this.root = root;
        this.address = address;
    }

    /** @param body {@code missing} where it is no JSON */
    record Answer(int status, HttpHeaders headers, String text, JsonNode body) {

        String type() {
            return headers.firstValue("Content-Type").orElse("");
        }

        int rpcError() {
            return body.at("/error/code").asInt();
        }

        String reason() {
            return body.at("/error/details/0/reason")
                    .asText(body.at("/error/data/0/reason").asText());
        }
    }

    /** A stream that is being read. */
    static final class Events implements AutoCloseable {

        private static final String END = "";

        final int status;
        final String type;
        private final Stream<String> lines;
        private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();

        private Events(HttpResponse<Stream<String>> response) {
            this.status = response.statusCode();
            this.type = response.headers().firstValue("Content-Type").orElse("");
            this.lines = response.body();
            Thread.ofVirtual().start(() -> {
                try {
                    lines.filter(line -> line.startsWith("data:") || line.startsWith("{"))
                            .map(line -> line.startsWith("{") ? line : line.substring(5))
                            .forEach(heard::add);
                } catch (UncheckedIOException closed) {
                    // by whoever reads it, or by the other side: it is over
                }
                heard.add(END);
            });
        }

        /** Missing when it is over. */
        JsonNode next() throws Exception {
            String event = heard.poll(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            if (event == null) {
                throw new AssertionError("nothing more comes, and no end");
            }
            if (event.equals(END)) {
                heard.add(END);
                return MissingNode.getInstance();
            }
            return PlatformApi.JSON.readTree(event);
        }

        List<JsonNode> rest() throws Exception {
            var all = Stream.<JsonNode>builder();
            for (JsonNode event = next(); !event.isMissingNode(); event = next()) {
                all.add(event);
            }
            return all.build().toList();
        }

        @Override
        public void close() {
            lines.close();
        }
    }

    static ObjectNode object() {
        return PlatformApi.JSON.createObjectNode();
    }

    static JsonNode json(String text) {
        try {
            return PlatformApi.JSON.readTree(text.replace('\'', '"'));
        } catch (IOException wrong) {
            throw new UncheckedIOException(wrong);
        }
    }

    /** Parameters of a message of 1.0 with an id of its own. */
    static ObjectNode message(String words) {
        ObjectNode params = object();
        ObjectNode message = params.putObject("message")
                .put("messageId", UUID.randomUUID().toString())
                .put("role", "ROLE_USER");
        message.putArray("parts").addObject().put("text", words);
        return params;
    }

    static ObjectNode message(String words, String taskId) {
        ObjectNode params = message(words);
        params.withObjectProperty("message").put("taskId", taskId);
        return params;
    }

    static ObjectNode id(String taskId) {
        return object().put("id", taskId);
    }

    private static String rpcText(String method, JsonNode params) {
        ObjectNode request = object().put("jsonrpc", "2.0").put("id", "r-1").put("method", method);
        request.set("params", params);
        return request.toString();
    }

    /** @param headers names and values in turn, in place of the usual */
    Answer rpc(String method, JsonNode params, String... headers) throws Exception {
        return send("POST", "", rpcText(method, params), headers);
    }

    Events rpcStream(String method, JsonNode params) throws Exception {
        return stream("POST", "", rpcText(method, params));
    }

    /** @param path below the address; empty for JSON-RPC */
    Answer send(String method, String path, String body, String... headers) throws Exception {
        return at(address + path, method, body, headers);
    }

    /** Below where the card is. */
    Answer get(String path, String... headers) throws Exception {
        return at(root + path, "GET", "", headers);
    }

    private static Answer at(String url, String method, String body, String... headers) throws Exception {
        var response = HTTP.send(request(url, method, body, headers), BodyHandlers.ofString());
        String text = response.body();
        JsonNode read = text.startsWith("{") || text.startsWith("[")
                ? PlatformApi.JSON.readTree(text)
                : MissingNode.getInstance();
        return new Answer(response.statusCode(), response.headers(), text, read);
    }

    Events stream(String method, String path, String body, String... headers) throws Exception {
        return new Events(HTTP.send(request(address + path, method, body, headers), BodyHandlers.ofLines()));
    }

    private static HttpRequest request(String url, String method, String body, String... headers) {
        var request = HttpRequest.newBuilder(URI.create(url))
                .timeout(Waits.PATIENCE)
                .header("A2A-Version", "1.0")
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (method.equals("POST")) {
            request.header("Content-Type", "application/json");
        }
        for (int i = 0; i < headers.length; i += 2) {
            request.setHeader(headers[i], headers[i + 1]);
        }
        return request.build();
    }
}
