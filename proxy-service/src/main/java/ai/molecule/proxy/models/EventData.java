package ai.molecule.proxy.models;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** What a server-sent event says. It is read for every chunk of every stream, so from its bytes, once. */
final class EventData {

    private static final byte[] NAME = "data:".getBytes(StandardCharsets.US_ASCII);

    private EventData() {}

    /** Null for an event without an object in its data, such as the last one of OpenAI's protocol. */
    static @Nullable JsonNode of(Buffer event) {
        byte[] bytes = event.getBytes();
        int start = -1;
        int end = -1;
        ByteArrayOutputStream several = null;
        for (int line = 0; line < bytes.length; ) {
            int over = line;
            while (over < bytes.length && bytes[over] != '\n' && bytes[over] != '\r') {
                over++;
            }
            if (isData(bytes, line, over)) {
                if (start >= 0) {
                    several = several == null ? begun(bytes, start, end) : several;
                    several.write(bytes, line + NAME.length, over - line - NAME.length);
                    several.write('\n');
                }
                start = line + NAME.length;
                end = over;
            }
            line = over + 1;
        }
        return several == null ? object(bytes, start, end) : object(several.toByteArray(), 0, several.size());
    }

    private static boolean isData(byte[] bytes, int from, int to) {
        if (to - from < NAME.length) {
            return false;
        }
        for (int i = 0; i < NAME.length; i++) {
            if (bytes[from + i] != NAME[i]) {
                return false;
            }
        }
        return true;
    }

    private static ByteArrayOutputStream begun(byte[] bytes, int start, int end) {
        var out = new ByteArrayOutputStream(bytes.length);
        out.write(bytes, start, end - start);
        out.write('\n');
        return out;
    }

    private static @Nullable JsonNode object(byte[] bytes, int start, int end) {
        int first = start;
        while (first >= 0 && first < end && (bytes[first] == ' ' || bytes[first] == '\t' || bytes[first] == '\n')) {
            first++;
        }
        if (first < 0 || first >= end || bytes[first] != '{') {
            return null;
        }
        try {
            return Json.MAPPER.readTree(bytes, first, end - first);
        } catch (IOException noJson) {
            return null;
        }
    }
}
