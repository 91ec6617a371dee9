package ai.molecule.registry.versions;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * An agent's settings as they were from a moment on.
 *
 * @param changedWith the credential that was shown; {@code platform} where none was
 * @param restoredFrom the version that was gone back to; null where something was changed
 * @param settings {@code {"name", "role", "tier", "runtime", "workspace_dir", "budget_limit", "model", "config", "files", "secrets"}}
 * @param before those of the version before; null where that is not kept
 */
record Version(
        int n,
        Instant createdAt,
        String changedWith,
        @Nullable Integer restoredFrom,
        ObjectNode settings,
        @Nullable ObjectNode before) {

    /** In the difference; the version itself has the whole. */
    private static final int VALUE_MAX_CHARS = 2_000;

    /** {@code {"n", "created_at", "changed_with", "restored_from", "changes": [{"setting", "from", "to"}]}}. */
    ObjectNode toListed() {
        var body = Json.object()
                .put("n", n)
                .put("created_at", Json.time(createdAt))
                .put("changed_with", changedWith)
                .put("restored_from", restoredFrom);
        var changes = body.putArray("changes");
        if (before == null) {
            return body;
        }
        for (String setting : names(before, settings)) {
            var from = before.path(setting);
            var to = settings.path(setting);
            if (from.isObject() && to.isObject()) {
                for (String member : names(from, to)) {
                    note(changes.addObject(), setting + "." + member, from.path(member), to.path(member));
                }
            } else {
                note(changes.addObject(), setting, from, to);
            }
        }
        for (int i = changes.size() - 1; i >= 0; i--) {
            if (changes.get(i).isEmpty()) {
                changes.remove(i);
            }
        }
        return body;
    }

    /** The same with {@code settings}. */
    ObjectNode toJson() {
        return toListed().set("settings", settings);
    }

    private static void note(ObjectNode change, String setting, JsonNode from, JsonNode to) {
        if (!from.equals(to)) {
            change.put("setting", setting);
            change.set("from", shown(from));
            change.set("to", shown(to));
        }
    }

    private static JsonNode shown(JsonNode value) {
        if (value.isMissingNode()) {
            return Json.MAPPER.nullNode();
        }
        String text = value.isTextual() ? value.textValue() : Json.text(value);
        if (text.length() <= VALUE_MAX_CHARS) {
            return value;
        }
        int end = Character.isHighSurrogate(text.charAt(VALUE_MAX_CHARS - 1)) ? VALUE_MAX_CHARS - 1 : VALUE_MAX_CHARS;
        return Json.MAPPER.getNodeFactory().textNode(text.substring(0, end) + "…");
    }

    private static TreeSet<String> names(JsonNode one, JsonNode other) {
        var names = new TreeSet<String>();
        one.fieldNames().forEachRemaining(names::add);
        other.fieldNames().forEachRemaining(names::add);
        return names;
    }
}
