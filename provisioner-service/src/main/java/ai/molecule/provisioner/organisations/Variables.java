package ai.molecule.provisioner.organisations;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Puts values in place of {@code ${NAME}} and {@code $NAME}. */
record Variables(Map<String, String> values) {

    private static final Pattern REFERENCE =
            Pattern.compile("\\$(?:\\{([A-Za-z_][A-Za-z0-9_]*)}|([A-Za-z_][A-Za-z0-9_]*))");

    /**
     * All that a file of an organisation gets to see of the platform's environment, because folders are named with it. A list of
     * what to keep back would forget the credential that nobody thought of.
     */
    private static final Set<String> TOLD = Set.of("HOME", "USER", "LOGNAME", "PWD", "TMPDIR", "WORKSPACE_DIR");

    /** A person gives further ones by this beginning: {@code ORG_PROJECTS=/srv/projects}. */
    private static final String GIVEN = "ORG_";

    /** Those of {@code .env} files over what the environment of this process may tell. */
    static Variables of(Map<String, String> environment, Map<String, String> files) {
        Map<String, String> values = new HashMap<>();
        environment.forEach((name, value) -> {
            if (TOLD.contains(name) || name.startsWith(GIVEN)) {
                values.put(name, value);
            }
        });
        values.putAll(files);
        return new Variables(values);
    }

    /** Fails with INVALID for a name that has no value. */
    String expand(String text) {
        return REFERENCE
                .matcher(text)
                .replaceAll(found ->
                        Matcher.quoteReplacement(valueOf(found.group(1) == null ? found.group(2) : found.group(1))));
    }

    private String valueOf(String name) {
        String value = values.get(name);
        if (value == null) {
            throw InvalidOrganisation.template("the variable %s is not set".formatted(name));
        }
        return value;
    }
}
