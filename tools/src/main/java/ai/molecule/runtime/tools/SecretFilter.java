package ai.molecule.runtime.tools;

import ai.molecule.sdk.CredentialShapes;
import java.util.regex.Pattern;

/** Takes what looks like a credential out of a text before it leaves the workspace. */
public final class SecretFilter {

    private static final Pattern TOKEN = Pattern.compile(CredentialShapes.REGEX);

    /** A long value after a name that says what it is, also in JSON, and in JSON within a text of JSON; the name stays. */
    private static final Pattern NAMED = Pattern.compile(
            "(?i)((?:api[_-]?key|token|secret|password|credential)s?(?:\\\\?[\"'])?\\s{0,8}[=:]\\s{0,8}(?:\\\\?[\"'])?)[A-Za-z0-9+/=_.~-]{20,}+");

    private SecretFilter() {}

    public static String redact(String text) {
        String withoutTokens = TOKEN.matcher(text).replaceAll("[REDACTED]");
        return NAMED.matcher(withoutTokens).replaceAll("$1[REDACTED]");
    }
}
