package ai.molecule.runtime;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What must be right before anything listens, so that a wrong setting ends in a sentence and not in an agent that half works. */
final class Preflight {

    /** Of its agents {@code tools} says what they have. */
    private static final String OWN_TOOLS_ADAPTER = "langchain4j";

    private static final int TOOLS_TOLD_MAX = 50;
    private static final int NAME_MAX_CHARS = 80;
    private static final String DEFAULT_PROMPT = "system-prompt.md";

    private final List<PreflightFinding> findings = new ArrayList<>();

    private Preflight() {}

    /**
     * Looks at everything before it complains.
     *
     * @param folder where {@code config.yaml} is, and what it names
     * @param environment in which the variables of {@code runtime_config.required_env} are looked for
     * @return what the agent can start with and its owner should know
     * @throws PreflightFailure with everything that is wrong
     */
    static List<PreflightFinding> check(WorkspaceConfig workspace, Path folder, Map<String, String> environment) {
        var preflight = new Preflight();
        preflight.checkRuntime(workspace, AdapterJars.of(folder, environment));
        preflight.checkPort(workspace.a2aPort());
        var runtimeConfig = Settings.of("runtime_config.", workspace.runtimeConfig());
        preflight.checkVariables(runtimeConfig.texts("required_env"), environment);
        preflight.checkOlderTokenFile(runtimeConfig, folder, environment);
        preflight.checkFiles(workspace.materials(), folder);
        if (workspace.adapter().equals(OWN_TOOLS_ADAPTER)) {
            preflight.checkTools(workspace.materials().tools());
        }
        preflight.reportNotEnforced(workspace.notEnforced());
        if (preflight.findings.stream().anyMatch(PreflightFinding::stops)) {
            throw new PreflightFailure(preflight.findings);
        }
        return List.copyOf(preflight.findings);
    }

    private void checkRuntime(WorkspaceConfig workspace, ClassLoader jars) {
        if (!AgentKinds.has(workspace.adapter(), jars)) {
            String known = String.join(", ", AgentKinds.NAMES);
            fail(
                    "Runtime",
                    "runtime %s cannot run here, only %s can".formatted(workspace.adapter(), known),
                    "Set runtime in config.yaml to one of: " + known + ".");
        } else if (!workspace.adapter().equals(workspace.runtime())) {
            warn(
                    "Runtime",
                    "runtime %s is run by the adapter %s".formatted(workspace.runtime(), workspace.adapter()),
                    "Nothing, if that is what you want: the adapter wins.");
        }
    }

    private void checkPort(int port) {
        if (port < 1 || port > 65_535) {
            fail("A2A port", "a2a.port is " + port, "Set a2a.port in config.yaml to a number from 1 to 65535.");
        }
    }

    private void checkVariables(List<String> names, Map<String, String> environment) {
        for (String name : names) {
            if (environment.getOrDefault(name, "").isBlank()) {
                fail(
                        "Environment",
                        "required environment variable " + name + " is not set",
                        "Set it as a secret of the workspace.");
            }
        }
    }

    /** Older configurations keep a model's key in a file. */
    private void checkOlderTokenFile(Settings runtimeConfig, Path folder, Map<String, String> environment) {
        String file = runtimeConfig.text("auth_token_file", "");
        String variable = runtimeConfig.text("auth_token_env", "");
        boolean given = !environment.getOrDefault(variable, "").isBlank();
        if (!file.isEmpty() && !given && !Files.isRegularFile(folder.resolve(file))) {
            fail(
                    "Auth token",
                    "runtime_config.auth_token_file " + file + " does not exist",
                    "Create it, or set " + (variable.isEmpty() ? "runtime_config.required_env" : variable) + ".");
        }
    }

    private void checkFiles(WorkspaceConfig.Materials materials, Path folder) {
        var prompts = materials.promptFiles().isEmpty() ? List.of(DEFAULT_PROMPT) : materials.promptFiles();
        for (String name : prompts) {
            if (!Files.isRegularFile(folder.resolve(name))) {
                warn("Prompt files", name + " does not exist", "Create it beside config.yaml.");
            }
        }
        for (String name : materials.skills()) {
            if (!Files.isRegularFile(folder.resolve("skills").resolve(name).resolve("SKILL.md"))) {
                warn("Skills", "skills/" + name + "/SKILL.md does not exist", "Create it, or take it out of skills.");
            }
        }
    }

    /** A configuration that was written for other runtimes may name tools of theirs. */
    private void checkTools(List<String> names) {
        String known = String.join(", ", OwnTools.NAMES);
        for (String name : names.stream().limit(TOOLS_TOLD_MAX).toList()) {
            if (!OwnTools.NAMES.contains(name)) {
                String shown = name.length() > NAME_MAX_CHARS ? name.substring(0, NAME_MAX_CHARS) + "…" : name;
                warn(
                        "Tools",
                        "tools names " + shown + ", which is none of: " + known,
                        LikeName.in(OwnTools.NAMES, name)
                                .map(meant -> "Write " + meant + ", if that is what you mean.")
                                .orElse("Take it out of tools, or write one of those."));
            }
        }
    }

    private void reportNotEnforced(List<String> keys) {
        for (String key : keys) {
            warn("Configuration", key + " is not enforced", "Do not rely on it.");
        }
    }

    private void fail(String title, String detail, String fix) {
        findings.add(PreflightFinding.fails(title, detail, fix));
    }

    private void warn(String title, String detail, String fix) {
        findings.add(PreflightFinding.warns(title, detail, fix));
    }
}
