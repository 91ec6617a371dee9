package ai.molecule.provisioner.organisations;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Puts values in place of {@code ${NAME}} and {@code $NAME}. */
record Variables(Map<String, String> values) {

    private static final Pattern REFERENCE =
            Pattern.compile("\\$(?:\\{([A-Za-z_][A-Za-z0-9_]*)}|([A-Za-z_][A-Za-z0-9_]*))");

    /** The platform's own settings and whatever sounds like a credential: no file of an organisation gets to see those. */
    private static final Pattern KEPT_BACK =
            Pattern.compile("MOLECULE_.*|.*(TOKEN|SECRET|PASSWORD|PASSWD|KEY|CREDENTIAL|_URL|_DSN).*");

    /** Those of {@code .env} files over what the environment of this process may tell. */
    static Variables of(Map<String, String> environment, Map<String, String> files) {
        Map<String, String> values = new HashMap<>();
        environment.forEach((name, value) -> {
            if (!KEPT_BACK.matcher(name.toUpperCase(Locale.ROOT)).matches()) {
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
