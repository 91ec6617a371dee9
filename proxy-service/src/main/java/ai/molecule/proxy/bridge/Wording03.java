package ai.molecule.proxy.bridge;

import ai.molecule.common.json.Json;
import ai.molecule.proxy.protocol.TaskState;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Set;

/** What was said in 1.0, told in 0.3. */
final class Wording03 extends Wording {

    private static final List<String> CONTENTS = List.of("text", "raw", "url", "data");

    /** Also {@code kind}, which is none of 1.0's and must not stand beside ours. */
    private static final Set<String> TOLD_OTHERWISE = Set.of("kind", "text", "raw", "url", "data", "metadata");

    private static final Set<String> OF_FILES = Set.of("filename", "mediaType");

    /** In the order of their numbers, which 1.0 may write in place of the name. */
    private static final List<TaskState> BY_NUMBER = List.of(
            TaskState.SUBMITTED,
            TaskState.WORKING,
            TaskState.COMPLETED,
            TaskState.FAILED,
            TaskState.CANCELED,
            TaskState.INPUT_REQUIRED,
            TaskState.REJECTED,
            TaskState.AUTH_REQUIRED);

    @Override
    ObjectNode begun(Kind kind) {
        return Json.object().put("kind", kind.in03());
    }

    @Override
    String role(JsonNode role, String at) {
        return switch (role.asText()) {
            case "ROLE_USER", "1" -> "user";
            case "ROLE_AGENT", "2" -> "agent";
            default -> throw NotCarriedOver.field(at, "must be ROLE_USER or ROLE_AGENT");
        };
    }

    @Override
    String state(JsonNode state, String at) {
        if (state.asText().equals(NO_STATE) || (state.isInt() && state.intValue() == 0)) {
            return "unknown";
        }
        if (state.isInt() && state.intValue() > 0 && state.intValue() <= BY_NUMBER.size()) {
            return BY_NUMBER.get(state.intValue() - 1).wire();
        }
        return TaskState.ofWire(state.asText())
                .map(TaskState::wire)
                .orElseThrow(() -> NotCarriedOver.field(at, "is no state that A2A 0.3 has"));
    }

    @Override
    ObjectNode part(JsonNode part, String at) {
        List<String> held =
                CONTENTS.stream().filter(objectAt(part, at)::hasNonNull).toList();
        if (held.isEmpty() && part.has("data")) {
            held = List.of("data"); // null is data too
        }
        if (held.size() != 1) {
            throw NotCarriedOver.field(at, "must have exactly one of text, raw, url and data");
        }
        String content = held.getFirst();
        if (!content.equals("data") && !part.path(content).isTextual()) {
            throw NotCarriedOver.field(at + "." + content, "must be a string");
        }
        boolean isFile = content.equals("url") || content.equals("raw");
        ObjectNode told = Json.object();
        switch (content) {
            case "text" -> told.put("kind", "text").set("text", part.get("text"));
            case "data" -> told.put("kind", "data").set("data", DataParts.wrapped(part.get("data")));
            default -> file(part, told.put("kind", "file").putObject("file"), content.equals("url"));
        }
        for (var member : part.properties()) {
            String name = member.getKey();
            if (!TOLD_OTHERWISE.contains(name) && !(isFile && OF_FILES.contains(name))) {
                put(told, name, member.getValue());
            }
        }
        DataParts.metadataWithMark(part, content).ifPresent(metadata -> told.set("metadata", metadata));
        return told;
    }

    private static void file(JsonNode part, ObjectNode file, boolean linked) {
        file.set(linked ? "uri" : "bytes", part.get(linked ? "url" : "raw"));
        putUnlessEmpty(part, "filename", file, "name");
        putUnlessEmpty(part, "mediaType", file, "mimeType");
    }

    private static void putUnlessEmpty(JsonNode part, String name, ObjectNode file, String as) {
        if (!part.path(name).asText("").isEmpty()) {
            file.set(as, part.get(name));
        }
    }

    @Override
    JsonNode result(JsonNode result) {
        for (Kind kind : Kind.values()) {
            if (result.path(kind.in10()).isObject()) {
                ObjectNode told = toldOf(kind, result.get(kind.in10()), "result." + kind.in10());
                return kind == Kind.STATUS ? told.put("final", endsTurn(told)) : told;
            }
        }
        throw NotCarriedOver.field("result", "is no task, message or event");
    }

    /** A stream of 0.3 says so of the last event of a turn. */
    private static boolean endsTurn(ObjectNode update) {
        return TaskState.ofWire(update.path("status").path("state").asText())
                .filter(state ->
                        state.isFinal() || state == TaskState.INPUT_REQUIRED || state == TaskState.AUTH_REQUIRED)
                .isPresent();
    }

    @Override
    ObjectNode error(JsonNode error) {
        return ErrorDetails.to03(error);
    }
}
