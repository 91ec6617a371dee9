package ai.molecule.proxy.bridge;

import ai.molecule.common.json.Json;
import ai.molecule.proxy.protocol.TaskState;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What was said in 0.3, told in 1.0. */
final class Wording10 extends Wording {

    /** What a part has that is told otherwise, or says only what kind it is. */
    private static final Set<String> OF_03 = Set.of("kind", "type", "file", "text", "data", "root", "metadata");

    private static final List<String> CONTENTS = List.of("text", "file", "data");

    @Override
    ObjectNode begun(Kind kind) {
        return Json.object();
    }

    @Override
    String role(JsonNode role, String at) {
        return switch (role.asText()) {
            case "user" -> "ROLE_USER";
            case "agent" -> "ROLE_AGENT";
            default -> throw NotCarriedOver.field(at, "must be user or agent");
        };
    }

    @Override
    String state(JsonNode state, String at) {
        if (state.asText().equals("unknown")) {
            return NO_STATE;
        }
        return TaskState.ofWire(state.asText())
                .map(TaskState::wireOf10)
                .orElseThrow(() -> NotCarriedOver.field(at, "is no state that A2A 1.0 has"));
    }

    @Override
    ObjectNode part(JsonNode part, String at) {
        JsonNode said = objectAt(part, at).path("root").isObject() ? part.get("root") : part;
        ObjectNode told = Json.object();
        switch (kindOf(said, at)) {
            case "text" -> told.set("text", textAt(said, "text", at));
            case "file" -> file(objectAt(said.path("file"), at + ".file"), told, at + ".file");
            case "data" -> told.set("data", DataParts.unwrapped(said));
            default -> throw NotCarriedOver.field(at + ".kind", "is of no kind that A2A 1.0 has");
        }
        for (var member : said.properties()) {
            if (!OF_03.contains(member.getKey())) {
                put(told, member.getKey(), member.getValue());
            }
        }
        DataParts.metadataWithoutMark(said).ifPresent(metadata -> told.set("metadata", metadata));
        return told;
    }

    private static String kindOf(JsonNode part, String at) {
        var held = CONTENTS.stream().filter(part::hasNonNull).toList();
        if (held.size() > 1) {
            throw NotCarriedOver.field(at, "must have exactly one of text, file and data");
        }
        String named = part.path("kind").asText(part.path("type").asText());
        return named.isEmpty() && !held.isEmpty() ? held.getFirst() : named;
    }

    private static void file(JsonNode file, ObjectNode told, String at) {
        boolean linked = file.hasNonNull("uri");
        if (linked == file.hasNonNull("bytes")) {
            throw NotCarriedOver.field(at, "must have exactly one of bytes and uri");
        }
        for (var member : file.properties()) {
            JsonNode value = member.getValue();
            switch (member.getKey()) {
                case "uri" -> put(told, "url", value);
                case "bytes" -> put(told, "raw", value);
                case "name" -> put(told, "filename", value);
                case "mimeType" -> put(told, "mediaType", value);
                default -> throw NotCarriedOver.field(at + "." + member.getKey(), "has no place in A2A 1.0");
            }
        }
    }

    private static JsonNode textAt(JsonNode part, String name, String at) {
        if (!part.path(name).isTextual()) {
            throw NotCarriedOver.field(at + "." + name, "must be a string");
        }
        return part.get(name);
    }

    /** Older agents name no kind. */
    static Optional<Kind> kindOfResult(JsonNode result) {
        String named = result.path("kind").asText();
        for (Kind kind : Kind.values()) {
            if (kind.in03().equals(named)) {
                return Optional.of(kind);
            }
        }
        if (result.has("parts")) {
            return Optional.of(Kind.MESSAGE);
        }
        if (result.has("artifact")) {
            return Optional.of(Kind.ARTIFACT);
        }
        if (result.has("status")) {
            return Optional.of(result.has("taskId") ? Kind.STATUS : Kind.TASK);
        }
        return Optional.empty();
    }

    @Override
    JsonNode result(JsonNode result) {
        Kind kind =
                kindOfResult(result).orElseThrow(() -> NotCarriedOver.field("result", "is no task, message or event"));
        return Json.object().set(kind.in10(), toldOf(kind, result, "result"));
    }

    @Override
    ObjectNode error(JsonNode error) {
        return ErrorDetails.to10(error);
    }
}
