package ai.molecule.provisioner.backend;

import ai.molecule.common.bus.registry.ManagedWorkspace;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Who an agent is for the programs it uses (registry contract, 12). A secret of the same name goes before each of these. */
final class AgentIdentity {

    static final String HERMES_MODEL = "HERMES_DEFAULT_MODEL";

    private static final int SLUG_MAX = 64;

    private AgentIdentity() {}

    static Map<String, String> of(ManagedWorkspace workspace) {
        String name = "Molecule AI " + workspace.name();
        String email = slug(workspace.name()) + "@agents.moleculesai.app";
        Map<String, String> identity = new TreeMap<>(Map.of(
                "GIT_AUTHOR_NAME", name,
                "GIT_AUTHOR_EMAIL", email,
                "GIT_COMMITTER_NAME", name,
                "GIT_COMMITTER_EMAIL", email));
        putIfSaid(identity, "MOLECULE_AGENT_ROLE", workspace.role());
        if (workspace.runtime().equals("hermes")) {
            putIfSaid(identity, HERMES_MODEL, workspace.model());
        }
        return identity;
    }

    private static void putIfSaid(Map<String, String> identity, String variable, @Nullable String value) {
        if (value != null && !value.isBlank()) {
            identity.put(variable, value);
        }
    }

    /** Of a name nothing remains of, {@code agent}. */
    private static String slug(String name) {
        String slug = name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
        String cut = slug.substring(0, Math.min(SLUG_MAX, slug.length())).replaceAll("^-|-$", "");
        return cut.isEmpty() ? "agent" : cut;
    }
}
