package ai.molecule.provisioner.containers;

import ai.molecule.common.config.Env;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which image a runtime's agents run (decision 34).
 *
 * @param named {@code MOLECULE_IMAGE_<RUNTIME>}, image references by that name
 * @param version {@code MOLECULE_VERSION}, default that of this build: the tag of the images that are not named
 */
public record ImageNames(Map<String, String> named, String version) {

    private static final String VERSION = "0.1.0";

    private static final String VARIABLE = "MOLECULE_IMAGE_";

    /** Says for what machine images are, and names none. */
    public static final String PLATFORM = "MOLECULE_IMAGE_PLATFORM";

    public static ImageNames fromEnv(Map<String, String> variables) {
        var named = new TreeMap<String, String>();
        variables.forEach((name, value) -> {
            if (name.startsWith(VARIABLE) && !name.equals(PLATFORM) && !value.isBlank()) {
                named.put(name, value.strip());
            }
        });
        return new ImageNames(named, new Env(variables).text("MOLECULE_VERSION", VERSION));
    }

    /** Whether somebody chose the image. */
    public boolean names(String runtime) {
        return named.containsKey(variableOf(runtime));
    }

    /** A runtime's name is letters, digits, dots, dashes and underscores by then. */
    public String of(String runtime) {
        return named.getOrDefault(
                variableOf(runtime), "molecule/workspace-%s:%s".formatted(runtime.toLowerCase(Locale.ROOT), version));
    }

    /** The variable that names a runtime's image. */
    public static String variableOf(String runtime) {
        return VARIABLE + runtime.toUpperCase(Locale.ROOT).replace('-', '_');
    }
}
