package ai.molecule.provisioner.containers;

import ai.molecule.common.config.Env;
import ai.molecule.provisioner.backend.Adapters;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which image a runtime's agents run (decision 34). A runtime is whatever somebody called it, so only those we know have images of
 * their names; every other runs the image of {@link #ANY}, whose adapter is its own.
 *
 * @param named {@code MOLECULE_IMAGE_<RUNTIME>}, image references by that name, digests too
 * @param prefix {@code MOLECULE_IMAGE_PREFIX}: what the names of the others begin with; null for {@link #PREFIX_DEFAULT}
 * @param version {@code MOLECULE_VERSION}, default that of this build: the tag of the images that are not named
 */
public record ImageNames(
        Map<String, String> named, @Nullable String prefix, String version) {

    private static final Set<String> KNOWN = Set.of(
            "echo",
            "delegate",
            "rehearse",
            "rehearsed",
            "langgraph",
            "deepagents",
            "crewai",
            "autogen",
            "openclaw",
            "hermes",
            "claude-code",
            "codex",
            "gemini-cli");

    private static final String ANY = "langgraph";
    private static final String PREFIX_DEFAULT = "molecule/workspace-";
    private static final String VERSION = "0.1.0";
    private static final String VARIABLE = "MOLECULE_IMAGE_";
    private static final String PREFIX = VARIABLE + "PREFIX";

    /** Says for what machine images are, and names none. */
    public static final String PLATFORM = VARIABLE + "PLATFORM";

    /** Names secrets of the cluster, and no image. */
    public static final String PULL_SECRETS = VARIABLE + "PULL_SECRETS";

    private static final Set<String> NO_RUNTIME = Set.of(PREFIX, PLATFORM, PULL_SECRETS);

    /** As far as an engine and a shell agree on it; the engine knows the rest. */
    private static final Pattern REFERENCE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:/@-]{0,511}");

    public static ImageNames fromEnv(Map<String, String> variables) {
        var named = new TreeMap<String, String>();
        variables.forEach((name, value) -> {
            if (name.startsWith(VARIABLE) && !NO_RUNTIME.contains(name) && !value.isBlank()) {
                named.put(name, reference(name, value.strip()));
            }
        });
        var env = new Env(variables);
        String prefix = env.find(PREFIX);
        return new ImageNames(
                named, prefix == null ? null : reference(PREFIX, prefix), env.text("MOLECULE_VERSION", VERSION));
    }

    private static String reference(String variable, String value) {
        if (!REFERENCE.matcher(value).matches()) {
            throw new IllegalArgumentException(variable + " must be the name of an image");
        }
        return value;
    }

    public String of(String runtime) {
        String wanted = Adapters.canonical(runtime.toLowerCase(Locale.ROOT));
        String known = named.containsKey(variableOf(wanted)) || KNOWN.contains(wanted) ? wanted : ANY;
        return named.getOrDefault(
                variableOf(known), (prefix == null ? PREFIX_DEFAULT : prefix) + known + ":" + version);
    }

    /**
     * Whether it may be fetched from somewhere: a name without a registry is whoever's it is on a public one, unless the operator
     * chose that prefix.
     */
    public boolean mayBePulled(String image) {
        int slash = image.indexOf('/');
        String first = slash < 0 ? "" : image.substring(0, slash);
        boolean registry = first.contains(".") || first.contains(":") || first.equals("localhost");
        return registry || (prefix != null && image.startsWith(prefix));
    }

    /** The variable that names a runtime's image. */
    public static String variableOf(String runtime) {
        return VARIABLE + runtime.toUpperCase(Locale.ROOT).replace('-', '_');
    }
}
