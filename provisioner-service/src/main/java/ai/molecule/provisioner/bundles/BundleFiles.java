package ai.molecule.provisioner.bundles;

import ai.molecule.common.json.Json;
import ai.molecule.provisioner.backend.FilePath;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.TreeMap;

/** Where an agent's configs are in a bundle: its system prompt, its skills, and every other text among the prompts. */
final class BundleFiles {

    static final FilePath SYSTEM_PROMPT = FilePath.of("system-prompt.md");

    private static final String SKILLS = "skills";
    private static final String MANIFEST = "SKILL.md";

    private BundleFiles() {}

    /** Credentials, what is hidden, and plugins, which are installed and not copied. */
    static boolean isLeftOut(FilePath path) {
        return path.names().stream().anyMatch(name -> name.startsWith("."))
                || path.names().getFirst().equals("plugins");
    }

    /** @param files texts by path, sorted */
    static void put(Map<String, String> files, ObjectNode bundle) {
        Map<String, Map<String, String>> skills = new TreeMap<>();
        var prompts = Json.object();
        bundle.put("system_prompt", files.getOrDefault(SYSTEM_PROMPT.toString(), ""));
        files.forEach((path, text) -> {
            var names = path.split("/", 3);
            if (names.length == 3 && names[0].equals(SKILLS)) {
                skills.computeIfAbsent(names[1], id -> new TreeMap<>()).put(names[2], text);
            } else if (!path.equals(SYSTEM_PROMPT.toString())) {
                prompts.put(path, text);
            }
        });
        ArrayNode list = bundle.putArray("skills");
        skills.forEach((id, own) -> {
            var skill = list.addObject().put("id", id);
            String manifest = own.getOrDefault(MANIFEST, "");
            skill.put("name", header(manifest, "name", id));
            skill.put("description", header(manifest, "description", ""));
            skill.set("files", Json.MAPPER.valueToTree(own));
        });
        bundle.putArray("tools");
        bundle.set("prompts", prompts);
    }

    /** A line of the header that a skill's manifest begins with. */
    private static String header(String manifest, String key, String otherwise) {
        return manifest.lines()
                .limit(20)
                .filter(line -> line.startsWith(key + ":"))
                .map(line -> line.substring(key.length() + 1).strip())
                .findFirst()
                .orElse(otherwise);
    }
}
