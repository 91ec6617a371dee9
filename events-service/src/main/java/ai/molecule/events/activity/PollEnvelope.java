package ai.molecule.events.activity;

import ai.molecule.common.bus.registry.Directory.Entry;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What polling agents read of a received message beside the stored row (decision 11): {@code type}, {@code ts} and {@code data}
 * with who sent it and the text. An agent's own notifications get none, or it would answer itself.
 *
 * @param directory finds a workspace, null when it or the registry is away: then name and role are left out
 * @param publicUrl where agents reach the platform, without a slash at its end
 */
record PollEnvelope(Function<UUID, @Nullable Entry> directory, String publicUrl) {

    ObjectNode around(Activity activity) {
        var row = activity.toJson();
        if (!"a2a_receive".equals(activity.type()) || "notify".equals(activity.method())) {
            return row;
        }
        row.put("type", activity.type()).put("ts", Json.time(activity.createdAt()));
        row.set("data", data(activity));
        return row;
    }

    private ObjectNode data(Activity activity) {
        var peer = activity.sourceId();
        String kind = peer == null ? "canvas_user" : "peer_agent";
        var data = Json.object()
                .put("source", kind)
                .put("kind", kind)
                .put("text", textOf(activity.requestBody()))
                .put("activity_id", activity.id().toString());
        if (peer == null) {
            return data;
        }
        data.put("peer_id", peer.toString());
        var entry = directory.apply(peer);
        if (entry != null) {
            data.put("peer_name", entry.name()).put("peer_role", entry.role() == null ? "" : entry.role());
        }
        return data.put("agent_card_url", publicUrl + "/registry/discover/" + peer);
    }

    /** The text parts, line by line; both part discriminators are about, so neither is asked for. */
    private static String textOf(@Nullable JsonNode request) {
        var text = new StringBuilder();
        if (request != null) {
            for (var part : partsOf(request)) {
                var words = part.path("text").isTextual()
                        ? part.path("text")
                        : part.path("root").path("text");
                if (words.isTextual()) {
                    text.append(text.isEmpty() ? "" : "\n").append(words.textValue());
                }
            }
        }
        return text.toString();
    }

    /** Most clients put them into the message; some leave it out. */
    private static JsonNode partsOf(JsonNode request) {
        var params = request.path("params");
        for (var place : List.of(params.path("message"), params, request)) {
            if (place.path("parts").isArray()) {
                return place.path("parts");
            }
        }
        return MissingNode.getInstance();
    }
}
