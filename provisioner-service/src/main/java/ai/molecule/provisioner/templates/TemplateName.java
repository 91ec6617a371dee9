package ai.molecule.provisioner.templates;

import ai.molecule.provisioner.backend.Adapters;
import java.util.Locale;
import java.util.Set;

/** How names of workspaces and runtimes become names of folders (registry contract, 7.2 and 11.1). */
final class TemplateName {

    /** Runtimes that may have a {@code <runtime>-default} template; any other uses langgraph's. */
    private static final Set<String> RUNTIMES = Set.of(
            "langgraph",
            "claude-code",
            "openclaw",
            "crewai",
            "autogen",
            "deepagents",
            "hermes",
            "codex",
            "gemini-cli",
            "external",
            "echo",
            "delegate",
            "rehearse",
            "rehearsed");

    private TemplateName() {}

    /** Lower case, blanks and dashes as dashes, of the rest only letters, digits and underscores; {@code unnamed} for nothing. */
    static String of(String name) {
        String plain = name.toLowerCase(Locale.ROOT).replace(' ', '-').replaceAll("[^a-z0-9_-]", "");
        return plain.isEmpty() ? "unnamed" : plain;
    }

    static String defaultFor(String runtime) {
        return ofRuntime(runtime) + "-default";
    }

    static String ofRuntime(String runtime) {
        String known = Adapters.canonical(runtime.strip());
        return RUNTIMES.contains(known) ? known : "langgraph";
    }
}
