package ai.molecule.provisioner.backend;

import java.util.Optional;
import java.util.Set;

/** Which adapter of our runtime runs the agents of a runtime (decision 22). The workspace's runtime stays as it was asked for. */
public final class Adapters {

    private Adapters() {}

    /** The name that everything else of ours goes by. */
    public static String canonical(String runtime) {
        return runtime.equals("claude_code") ? "claude-code" : runtime;
    }

    /** A name that the operator added, or that is older than the check of names, runs as {@code langgraph} does. */
    public static String of(String runtime) {
        return switch (canonical(runtime)) {
            case "echo", "delegate", "rehearse", "rehearsed", "cli", "langchain4j" -> runtime;
            case "claude-code", "codex", "gemini-cli" -> "cli";
            default -> "langchain4j"; // langgraph, deepagents, crewai, autogen, openclaw, hermes
        };
    }

    /**
     * Why agents of this runtime cannot run; empty when they can.
     *
     * @param installed the adapters that the agents' runtime has
     */
    public static Optional<StartRefused> refusal(String runtime, Set<String> installed) {
        String adapter = of(runtime);
        return installed.contains(adapter)
                ? Optional.empty()
                : Optional.of(new StartRefused(
                        "runtime \"%s\" cannot run here yet: it needs the adapter %s, and the agents' runtime has %s"
                                .formatted(runtime, adapter, installed.isEmpty() ? "none" : listed(installed))));
    }

    private static String listed(Set<String> names) {
        return String.join(", ", names.stream().sorted().toList());
    }
}
