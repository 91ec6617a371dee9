package ai.molecule.sdk;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How well-known credentials are written: one table for all that takes them out of texts at agents and their tools; services have the same ({@code common/text}).
 * Each shape is a beginning that nothing else has and at least so many characters behind it, so that looking for one is linear in the text.
 *
 * <pre>{@code
 * String shown = Pattern.compile(CredentialShapes.REGEX).matcher(text).replaceAll("[REDACTED]");
 * }</pre>
 */
public final class CredentialShapes {

    /**
     * A kind of credential.
     *
     * @param label that stands in its place, such as {@code GITHUB_TOKEN}
     * @param name for a sentence, such as {@code a GitHub token}
     * @param beginnings of which it has one
     * @param minChars behind the beginning, at least
     * @param others than letters and digits that may stand there; capitals and digits alone where it is null
     */
    public record Shape(
            String label,
            String name,
            List<String> beginnings,
            int minChars,
            @Nullable String others) {

        /** As a regular expression without groups. */
        public String regex() {
            String begins = beginnings.stream().map(Pattern::quote).collect(Collectors.joining("|", "(?:", ")"));
            String behind = others == null ? "[A-Z0-9]" : "[A-Za-z0-9" + others.replace("-", "\\-") + "]";
            return begins + behind + "{" + minChars + ",}+";
        }

        /** Whether a character may stand behind the beginning. */
        public boolean accepts(int one) {
            boolean plain = (one >= 'A' && one <= 'Z') || (one >= '0' && one <= '9');
            return plain || (others != null && ((one >= 'a' && one <= 'z') || others.indexOf(one) >= 0));
        }
    }

    /** In the order in which they are to be looked for. */
    public static final List<Shape> ALL = List.of(
            new Shape("STRIPE_KEY", "a Stripe key", List.of("sk_live_", "rk_live_", "sk_test_", "rk_test_"), 16, ""),
            new Shape("API_KEY", "an API key", List.of("sk-"), 20, "_-"),
            new Shape("API_KEY", "an API key", List.of("gsk_"), 20, ""),
            new Shape("GITHUB_TOKEN", "a GitHub token", List.of("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), 20, ""),
            new Shape("GITHUB_TOKEN", "a GitHub token", List.of("github_pat_"), 20, "_"),
            new Shape("GITLAB_TOKEN", "a GitLab token", List.of("glpat-", "gldt-", "glrt-"), 20, "_-."),
            new Shape(
                    "SLACK_TOKEN",
                    "a Slack token",
                    List.of("xoxa-", "xoxb-", "xoxe-", "xoxp-", "xoxr-", "xoxs-", "xapp-"),
                    10,
                    "-"),
            new Shape("GOOGLE_KEY", "a Google API key", List.of("AIza"), 30, "_-"),
            new Shape("AWS_KEY", "an AWS access key", List.of("AKIA", "ASIA"), 16, null));

    /** A private key in PEM, to its end or to that of the text. */
    public static final String PRIVATE_KEY =
            "-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----[\\s\\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|\\z)";

    /** All of them, private keys with them, as one regular expression without groups. */
    public static final String REGEX = Stream.concat(ALL.stream().map(Shape::regex), Stream.of(PRIVATE_KEY))
            .collect(Collectors.joining("|"));

    private CredentialShapes() {}
}
