package ai.molecule.provisioner.organisations;

import ai.molecule.common.bus.registry.CreateWorkspaces.Memory;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What an organisation says once for all as {@code defaults}, and a workspace over it. Each null where it is not said.
 *
 * @param plugins names; one that begins with {@code !} or {@code -} takes it away from those of the defaults
 * @param categoryRouting names of roles by category
 * @param idleMinutes after which it sleeps, 0 for never
 * @param memories null where none are named, which is not the same as an empty list
 */
record AgentSettings(
        @Nullable String runtime,
        @Nullable String model,
        @Nullable Integer tier,
        List<String> plugins,
        @Nullable String initialPrompt,
        @Nullable String initialPromptFile,
        @Nullable String idlePrompt,
        @Nullable String idlePromptFile,
        @Nullable Integer idleIntervalSeconds,
        Map<String, List<String>> categoryRouting,
        @Nullable List<Memory> memories,
        @Nullable Integer idleMinutes) {

    static AgentSettings of(JsonNode node) {
        return new AgentSettings(
                text(node, "runtime"),
                text(node, "model"),
                number(node, "tier"),
                texts(node.path("plugins")),
                text(node, "initial_prompt"),
                text(node, "initial_prompt_file"),
                text(node, "idle_prompt"),
                text(node, "idle_prompt_file"),
                number(node, "idle_interval_seconds"),
                routing(node.path("category_routing")),
                node.has("initial_memories") ? memories(node.path("initial_memories")) : null,
                node.path("hibernation_idle_minutes").isInt()
                        ? (Integer) node.path("hibernation_idle_minutes").intValue()
                        : null);
    }

    /** In their order, each once, without those taken away. */
    List<String> pluginsOver(AgentSettings defaults) {
        List<String> names = new ArrayList<>(defaults.plugins);
        for (String entry : plugins) {
            if (entry.startsWith("!") || entry.startsWith("-")) {
                names.remove(entry.substring(1));
            } else {
                names.add(entry);
            }
        }
        return names.stream().distinct().toList();
    }

    /** By category, sorted: a category said here replaces the default one, an empty one drops it. */
    Map<String, List<String>> routingOver(AgentSettings defaults) {
        Map<String, List<String>> merged = new TreeMap<>(defaults.categoryRouting);
        merged.putAll(categoryRouting);
        merged.values().removeIf(List::isEmpty);
        return merged;
    }

    /** Empty and absent are the same. */
    static @Nullable String text(JsonNode node, String name) {
        String value = node.path(name).asText("");
        return value.isEmpty() ? null : value;
    }

    /** 0 and absent are the same. */
    static @Nullable Integer number(JsonNode node, String name) {
        int value = node.path(name).intValue();
        return value == 0 ? null : (Integer) value;
    }

    static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(item -> texts.add(item.asText()));
        return List.copyOf(texts);
    }

    static List<Memory> memories(JsonNode array) {
        List<Memory> memories = new ArrayList<>();
        array.forEach(item -> memories.add(new Memory(item.path("content").asText(""), text(item, "scope"))));
        return List.copyOf(memories);
    }

    private static Map<String, List<String>> routing(JsonNode object) {
        Map<String, List<String>> routing = new LinkedHashMap<>();
        object.properties().forEach(member -> routing.put(member.getKey(), texts(member.getValue())));
        return routing;
    }
}
