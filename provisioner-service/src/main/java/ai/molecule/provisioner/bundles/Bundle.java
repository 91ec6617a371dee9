package ai.molecule.provisioner.bundles;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.CreateWorkspaces;
import ai.molecule.common.bus.registry.SetIdleMinutes;
import ai.molecule.common.json.Json;
import ai.molecule.provisioner.backend.FilePath;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A bundle as it was sent, checked: of a known shape, at most 1,000 workspaces and 50 levels, no file that leads out of the configs.
 *
 * @param tier 0 where it is not said
 * @param idleMinutes after which it sleeps, 0 for never; null where it is not said
 * @param files texts by path below the configs folder
 * @param agentCard what the agent was known as; null for none
 */
record Bundle(
        @Nullable String id,
        String name,
        @Nullable String role,
        int tier,
        boolean external,
        @Nullable String url,
        int maxConcurrentTasks,
        @Nullable Integer idleMinutes,
        Map<FilePath, String> files,
        @Nullable JsonNode agentCard,
        List<Bundle> children) {

    private static final String SCHEMA = "1.0";
    private static final int DEPTH_MAX = 50;
    private static final int FILES_MAX = 500;

    /** As long as one an agent registers with can be. */
    private static final int CARD_MAX_CHARS = 1024 * 1024;

    /** Fails with INVALID {@code invalid bundle}, and {@code problem} says what is wrong. */
    static Bundle of(JsonNode sent) {
        var bundle = read(sent, 1);
        long count = bundle.preorder().count();
        if (count > CreateWorkspaces.MAX) {
            throw invalid("%d workspaces are too many, at most %d".formatted(count, CreateWorkspaces.MAX));
        }
        return bundle;
    }

    /** Parents before their children. */
    Stream<Bundle> preorder() {
        return Stream.concat(Stream.of(this), children.stream().flatMap(Bundle::preorder));
    }

    static ApiError invalid(String problem) {
        return new ApiError(ApiError.Kind.INVALID, "invalid bundle", Map.of("problem", problem));
    }

    private static Bundle read(JsonNode node, int depth) {
        if (depth > DEPTH_MAX) {
            throw invalid("nested deeper than %d levels".formatted(DEPTH_MAX));
        }
        if (!node.isObject()) {
            throw invalid("a workspace must be an object");
        }
        String schema = text(node, "schema");
        if (!SCHEMA.equals(schema)) {
            throw invalid("schema must be \"%s\"".formatted(SCHEMA));
        }
        String name = text(node, "name");
        if (name == null) {
            throw invalid("a workspace has no name");
        }
        List<Bundle> children = new ArrayList<>();
        for (var child : member(node, "sub_workspaces", JsonNode::isArray, "an array")) {
            children.add(read(child, depth + 1));
        }
        return new Bundle(
                text(node, "id"),
                name,
                text(node, "description"),
                number(node, "tier"),
                node.path("external").asBoolean(false),
                text(node, "url"),
                number(node, "max_concurrent_tasks"),
                idleMinutes(node),
                files(node),
                card(node),
                List.copyOf(children));
    }

    private static @Nullable Integer idleMinutes(JsonNode node) {
        int minutes = number(node, "hibernation_idle_minutes");
        if (minutes < 0 || minutes > SetIdleMinutes.MINUTES_MAX) {
            throw invalid("hibernation_idle_minutes must be from 0 to %d".formatted(SetIdleMinutes.MINUTES_MAX));
        }
        return node.path("hibernation_idle_minutes").isNumber() ? (Integer) minutes : null;
    }

    private static @Nullable JsonNode card(JsonNode node) {
        var card = member(node, "agent_card", JsonNode::isObject, "an object");
        if (Json.text(card).length() > CARD_MAX_CHARS) {
            throw invalid("agent_card is longer than %d characters".formatted(CARD_MAX_CHARS));
        }
        return card.isObject() ? card : null;
    }

    private static Map<FilePath, String> files(JsonNode node) {
        Map<FilePath, String> files = new LinkedHashMap<>();
        put(member(node, "prompts", JsonNode::isObject, "an object"), FilePath.ROOT, files);
        for (var skill : member(node, "skills", JsonNode::isArray, "an array")) {
            String id = text(skill, "id");
            if (id == null) {
                throw invalid("a skill has no id");
            }
            var folder = path("skills/" + id);
            put(member(skill, "files", JsonNode::isObject, "an object"), folder, files);
        }
        String prompt = text(node, "system_prompt");
        if (prompt != null) {
            files.put(BundleFiles.SYSTEM_PROMPT, prompt);
        }
        if (files.size() > FILES_MAX) {
            throw invalid("more than %d files of one workspace".formatted(FILES_MAX));
        }
        return files;
    }

    private static void put(JsonNode texts, FilePath below, Map<FilePath, String> files) {
        texts.properties().forEach(file -> {
            if (!file.getValue().isTextual()) {
                throw invalid("the file %s is not a text".formatted(file.getKey()));
            }
            files.put(below.resolve(path(file.getKey())), file.getValue().textValue());
        });
    }

    private static FilePath path(String text) {
        try {
            var path = FilePath.of(text);
            if (!path.isRoot() && !BundleFiles.isLeftOut(path)) {
                return path;
            }
        } catch (ApiError climbing) {
            // below
        }
        throw invalid("a file cannot be at \"%s\"".formatted(text));
    }

    private static JsonNode member(JsonNode node, String name, Predicate<JsonNode> shape, String wanted) {
        var member = node.path(name);
        if (!member.isMissingNode() && !member.isNull() && !shape.test(member)) {
            throw invalid("%s must be %s".formatted(name, wanted));
        }
        return member;
    }

    /** Empty and absent are the same. */
    private static @Nullable String text(JsonNode node, String name) {
        var member = member(node, name, JsonNode::isTextual, "a text");
        String text = member.asText("");
        return text.isEmpty() || member.isNull() ? null : text;
    }

    private static int number(JsonNode node, String name) {
        return member(node, name, JsonNode::canConvertToInt, "a whole number").asInt(0);
    }
}
