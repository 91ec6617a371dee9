package ai.molecule.provisioner.organisations;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The {@code config.yaml} of an agent of an organisation: what the organisation says of it, then what its template says besides.
 *
 * @param initialPrompt null for none
 * @param idlePrompt null for none, and then the interval means nothing
 * @param base the template's own config; empty object where there is none
 */
public record AgentConfig(
        String name,
        @Nullable String role,
        int tier,
        String runtime,
        String model,
        Map<String, List<String>> categoryRouting,
        @Nullable String initialPrompt,
        @Nullable String idlePrompt,
        int idleIntervalSeconds,
        JsonNode base) {

    /** Runtimes that time out by themselves; all others get an explicit "never". */
    private static final Set<String> OWN_TIMEOUT = Set.of("langgraph", "deepagents");

    private static final Set<String> PROMPTS =
            Set.of("initial_prompt", "initial_prompt_file", "idle_prompt", "idle_prompt_file", "idle_interval_seconds");

    /** Of an agent without an organisation; {@code model} null means the runtime's default. */
    public static AgentConfig plain(
            String name, @Nullable String role, int tier, String runtime, @Nullable String model) {
        String chosen = model == null ? defaultModel(runtime) : model;
        return new AgentConfig(name, role, tier, runtime, chosen, Map.of(), null, null, 0, Json.object());
    }

    /** The model of an agent that names none. */
    static String defaultModel(String runtime) {
        return runtime.equals("claude-code") ? "sonnet" : "anthropic:claude-opus-4-7";
    }

    public String toYaml() {
        var yaml = new StringBuilder();
        yaml.append("name: ").append(quoted(name)).append('\n');
        yaml.append("description: ").append(quoted(role == null ? "" : role)).append('\n');
        yaml.append("version: 1.0.0\n");
        yaml.append("tier: ").append(tier).append('\n');
        yaml.append("runtime: ").append(runtime).append('\n');
        yaml.append("model: ").append(quoted(model)).append('\n');
        if (!OWN_TIMEOUT.contains(runtime) && !base.has("runtime_config")) {
            yaml.append("runtime_config:\n  timeout: 0\n");
        }
        appendBase(yaml);
        if (!categoryRouting.isEmpty()) {
            yaml.append("category_routing:\n");
            categoryRouting.forEach((category, roles) -> {
                yaml.append("  ").append(quoted(category)).append(":\n");
                roles.forEach(role -> yaml.append("    - ").append(quoted(role)).append('\n'));
            });
        }
        if (initialPrompt != null) {
            appendBlock(yaml, "initial_prompt", initialPrompt);
        }
        if (idlePrompt != null) {
            yaml.append("idle_interval_seconds: ").append(idleIntervalSeconds).append('\n');
            appendBlock(yaml, "idle_prompt", idlePrompt);
        }
        return yaml.toString();
    }

    /** JSON is YAML: a template's members come over whatever their shape. */
    private void appendBase(StringBuilder yaml) {
        Set<String> said = Set.of("name", "description", "version", "tier", "runtime", "model");
        base.properties().stream()
                .filter(member -> !said.contains(member.getKey()))
                .filter(member -> categoryRouting.isEmpty() || !member.getKey().equals("category_routing"))
                .filter(member -> !PROMPTS.contains(member.getKey()) || !saysPrompt(member.getKey()))
                .forEach(member -> yaml.append(quoted(member.getKey()))
                        .append(": ")
                        .append(Json.text(member.getValue()))
                        .append('\n'));
    }

    private boolean saysPrompt(String key) {
        return key.startsWith("initial") ? initialPrompt != null : idlePrompt != null;
    }

    private static void appendBlock(StringBuilder yaml, String key, String text) {
        boolean block = text.codePoints()
                        .noneMatch(point -> point != '\n'
                                && (Character.isISOControl(point)
                                        || point == 0xFEFF
                                        || point == 0x2028
                                        || point == 0x2029))
                && !text.isBlank();
        if (!block) {
            yaml.append(key).append(": ").append(Json.text(text)).append('\n');
            return;
        }
        yaml.append(key).append(text.startsWith(" ") || text.startsWith("\n") ? ": |2\n" : ": |\n");
        text.stripTrailing()
                .lines()
                .forEach(line ->
                        yaml.append(line.isEmpty() ? "" : "  ").append(line).append('\n'));
    }

    /** A double-quoted scalar on one line. */
    private static String quoted(String text) {
        return Json.text(text.replace('\n', ' ').replace('\r', ' ').replace('\t', ' '));
    }
}
