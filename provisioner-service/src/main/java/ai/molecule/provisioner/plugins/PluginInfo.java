package ai.molecule.provisioner.plugins;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What {@code plugin.yaml} says of a plugin. Lists are null where it says nothing.
 *
 * @param name the name of its folder
 * @param runtimes those it is for; all when null or empty
 */
record PluginInfo(
        String name,
        String version,
        String description,
        String author,
        @Nullable List<String> tags,
        @Nullable List<String> skills,
        @Nullable List<String> runtimes) {

    /** A plugin without a manifest, or with one that cannot be read. */
    static PluginInfo nameOnly(String name) {
        return new PluginInfo(name, "", "", "", null, null, null);
    }

    /** {@code claude-code} and {@code claude_code} are the same runtime. */
    boolean supports(String runtime) {
        return runtimes == null
                || runtimes.isEmpty()
                || runtimes.stream().anyMatch(one -> plain(one).equals(plain(runtime)));
    }

    /** The wire's {@code pluginInfo}. */
    ObjectNode toJson() {
        var json = Json.object()
                .put("name", name)
                .put("version", version)
                .put("description", description)
                .put("author", author);
        json.set("tags", Json.MAPPER.valueToTree(tags));
        json.set("skills", Json.MAPPER.valueToTree(skills));
        json.set("runtimes", Json.MAPPER.valueToTree(runtimes));
        return json;
    }

    private static String plain(String runtime) {
        return runtime.replace('-', '_');
    }
}
