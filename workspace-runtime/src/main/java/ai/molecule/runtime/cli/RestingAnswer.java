package ai.molecule.runtime.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * The answer to a program whose call rests. One that asked for a stream is sent what its protocol knows for a sign of life, because programs
 * give up an answer that does not begin; how the call ended then comes as an event. Others wait as long as they do.
 */
final class RestingAnswer {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int ERROR_MAX_BYTES = 256 * 1024;

    private enum Kind {
        ANTHROPIC("event: ping\ndata: {\"type\":\"ping\"}\n\n"),
        CHAT(": there is no money for it yet\n\n"),
        RESPONSES(": there is no money for it yet\n\n"),
        /** Its libraries take nothing but data. */
        OTHER("");

        private final String signOfLife;

        Kind(String signOfLife) {
            this.signOfLife = signOfLife;
        }

        static Kind at(String path) {
            return path.endsWith("/v1/messages")
                    ? ANTHROPIC
                    : path.endsWith("/chat/completions") ? CHAT : path.endsWith("/responses") ? RESPONSES : OTHER;
        }
    }

    private final HttpExchange exchange;
    private final Kind kind;
    private final byte[] request;
    private boolean begun;

    RestingAnswer(HttpExchange exchange, String path, byte[] request) {
        this.exchange = exchange;
        this.kind = Kind.at(path);
        this.request = request;
    }

    /** Whether the program was told anything: then its answer has the status 200 already. */
    boolean hasBegun() {
        return begun;
    }

    /** Fails when the program is gone. */
    void stillThere() throws IOException {
        if (!begun && (kind == Kind.OTHER || !asksForStream())) {
            return;
        }
        if (!begun) {
            exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
            exchange.sendResponseHeaders(200, 0);
            begun = true;
        }
        write(kind.signOfLife);
    }

    /** The door's answer behind that. */
    void end(int status, InputStream body) throws IOException {
        if (status == 200) {
            var out = exchange.getResponseBody();
            byte[] buffer = new byte[16 * 1024];
            for (int read = body.read(buffer); read >= 0; read = body.read(buffer)) {
                out.write(buffer, 0, read);
                out.flush(); // an event of a stream is not to wait for the next
            }
            return;
        }
        String error = oneLine(body.readNBytes(ERROR_MAX_BYTES), status);
        switch (kind) {
            case ANTHROPIC -> write("event: error\ndata: " + error + "\n\n");
            case CHAT -> write("data: " + error + "\n\ndata: [DONE]\n\n");
            case RESPONSES -> {
                JsonNode told = JSON.readTree(error).path("error");
                var event = JSON.createObjectNode().put("type", "error");
                event.put("code", told.path("code").asText("error"));
                event.put("message", told.path("message").asText("the call was refused"));
                write("event: error\ndata: " + event.putNull("param") + "\n\n");
            }
            case OTHER -> {}
        }
    }

    private boolean asksForStream() {
        try {
            return JSON.readTree(request).path("stream").asBoolean();
        } catch (IOException noJson) {
            return false;
        }
    }

    private static String oneLine(byte[] error, int status) {
        try {
            return JSON.readTree(error).toString();
        } catch (IOException noJson) {
            return "{\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"the provider answered %d\"}}"
                    .formatted(status);
        }
    }

    private void write(String text) throws IOException {
        var out = exchange.getResponseBody();
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }
}
