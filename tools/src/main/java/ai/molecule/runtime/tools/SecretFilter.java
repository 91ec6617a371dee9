package ai.molecule.runtime.tools;

import java.util.regex.Pattern;

/** Takes what looks like a credential out of a text before it leaves the workspace. */
public final class SecretFilter {

    private static final Pattern TOKEN = Pattern.compile(
            "sk-[A-Za-z0-9_-]{20,}|gh[ps]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{82,}|AKIA[A-Z0-9]{16}");

    /** A long value after a name that says what it is; the name stays. */
    private static final Pattern NAMED = Pattern.compile(
            "(?i)\\b((?:api_?key|token|secret|password|credential)s?\\s*[=:]\\s*)[A-Za-z0-9+/=_-]{40,}");

    private SecretFilter() {}

    public static String redact(String text) {
        String withoutTokens = TOKEN.matcher(text).replaceAll("[REDACTED]");
        return NAMED.matcher(withoutTokens).replaceAll("$1[REDACTED]");
    }
}
