package ai.molecule.runtime.a2a;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Reads server-sent events one at a time. */
final class EventReader implements AutoCloseable {

    final String contentType;
    private final BufferedReader lines;

    EventReader(HttpResponse<InputStream> response) {
        this.contentType = response.headers().firstValue("Content-Type").orElse("");
        this.lines = new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
    }

    /** The result inside the next event; a missing node at the end of the stream. */
    JsonNode next() throws IOException {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.startsWith("data: ")) {
                return AgentUnderTest.json(line.substring(6)).path("result");
            }
        }
        return AgentUnderTest.json("{}").path("end");
    }

    List<JsonNode> rest() throws IOException {
        List<JsonNode> events = new ArrayList<>();
        for (JsonNode event = next(); !event.isMissingNode(); event = next()) {
            events.add(event);
        }
        return events;
    }

    static String text(List<JsonNode> events) {
        var text = new StringBuilder();
        for (JsonNode event : events) {
            text.append(
                    event.path("artifact").path("parts").path(0).path("text").asText(""));
        }
        return text.toString();
    }

    @Override
    public void close() throws IOException {
        lines.close();
    }
}
