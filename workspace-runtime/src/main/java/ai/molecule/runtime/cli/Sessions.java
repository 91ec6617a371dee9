package ai.molecule.runtime.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Which session of a program goes on with which conversation, the {@value #SESSIONS_MAX} used last. A session is lent to one run at a
 * time: another message of the same conversation meanwhile begins one of its own.
 */
final class Sessions {

    static final int SESSIONS_MAX = 200;

    private static final int CONTEXT_MAX_CHARS = 256;

    /** It becomes an argument and the name of a file. */
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,127}");

    private final Map<String, String> byContext = new LinkedHashMap<>();
    private String last = "";

    static boolean isId(String text) {
        return ID.matcher(text).matches();
    }

    /** Lends it; empty when there is none, or it is lent. */
    synchronized Optional<String> take(String contextId) {
        return Optional.ofNullable(byContext.remove(contextId));
    }

    synchronized void put(String contextId, String session) {
        last = session;
        if (contextId.length() > CONTEXT_MAX_CHARS) {
            return;
        }
        byContext.remove(contextId);
        byContext.put(contextId, session);
        if (byContext.size() > SESSIONS_MAX) {
            byContext.remove(byContext.keySet().iterator().next());
        }
    }

    /** The one that was used last; empty when none was. */
    synchronized Optional<String> last() {
        return Optional.of(last).filter(Sessions::isId);
    }

    synchronized ObjectNode toJson() {
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("session_id", last);
        var sessions = json.putObject("sessions");
        byContext.forEach(sessions::put);
        return json;
    }

    /** What is not written as {@link #toJson} writes it is passed over. */
    synchronized void restore(JsonNode json) {
        json.path("sessions").properties().forEach(entry -> {
            if (isId(entry.getValue().asText(""))) {
                put(entry.getKey(), entry.getValue().asText());
            }
        });
        last = json.path("session_id").asText("");
    }
}
