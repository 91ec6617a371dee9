package ai.molecule.common.workspaces;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Names of environment variables that no secret may take, in any case: those the platform itself sets for an agent, which say who
 * it is and where it finds its folders and the platform; and those that a loader, a Java VM or a shell obeys before the agent's
 * own first instruction, so that a value would become code. Refused when a secret is set, and left out when an agent starts.
 */
public final class ReservedVariables {

    private static final Set<String> SET_BY_THE_PLATFORM = Set.of(
            "PATH",
            "HOME",
            "LANG",
            "WORKSPACE_ID",
            "WORKSPACE_CONFIG_PATH",
            "CONFIGS_DIR",
            "PLUGINS_DIR",
            "PLATFORM_URL",
            "TIER",
            "PARENT_ID",
            "MOLECULE_URL",
            "MOLECULE_RUNTIME",
            "MOLECULE_ADAPTER",
            "MOLECULE_AGENT_HOST",
            "MOLECULE_AGENT_PORT",
            "MOLECULE_HEARTBEAT_SECONDS",
            "MOLECULE_INCARNATION",
            "MOLECULE_SECRETS_FILE",
            "MOLECULE_LIFELINE",
            "MOLECULE_FETCH_NETWORKS",
            "MOLECULE_A2A_REQUIRE_TOKEN",
            "MOLECULE_ORG_ID",
            "MOLECULE_MODEL_DOOR");

    private static final Set<String> OBEYED_BEFORE_THE_AGENT =
            Set.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "CLASSPATH", "BASH_ENV");

    /** The dynamic linkers of Linux and macOS: {@code LD_PRELOAD}, {@code LD_LIBRARY_PATH}, {@code LD_AUDIT}, … */
    private static final List<String> LINKERS = List.of("LD_", "DYLD_");

    private ReservedVariables() {}

    public static boolean contains(String name) {
        String upper = name.toUpperCase(Locale.ROOT);
        return SET_BY_THE_PLATFORM.contains(upper)
                || OBEYED_BEFORE_THE_AGENT.contains(upper)
                || LINKERS.stream().anyMatch(upper::startsWith);
    }
}
