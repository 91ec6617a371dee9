package ai.molecule.registry.memories;

import java.util.List;
import java.util.regex.Pattern;

/**
 * Takes what looks like a secret out of a text. Also eats harmless runs of 33 and more letters and digits; better that than a
 * key that everybody reads. Linear in the text's length: no pattern can be entered in the middle of a run that it failed on.
 */
final class Redaction {

    private record Rule(Pattern pattern, String replacement) {

        static Rule of(String label, String regex) {
            return new Rule(Pattern.compile(regex), "[REDACTED:%s]".formatted(label));
        }

        /** {@code NAME_SUFFIX=value}, names in any case, the value up to the next blank. */
        static Rule assignment(String suffix) {
            return of(suffix, "(?<!\\w)(?i:\\w*_%s)=\\S+".formatted(suffix));
        }
    }

    /** In this order: a later rule sees what the earlier ones left. */
    private static final List<Rule> RULES = List.of(
            Rule.assignment("API_KEY"),
            Rule.assignment("TOKEN"),
            Rule.assignment("SECRET"),
            Rule.of("BEARER_TOKEN", "Bearer \\S+"),
            Rule.of("SK_TOKEN", "sk-[A-Za-z0-9_-]{16,}"),
            Rule.of("CTX7_TOKEN", "ctx7_[A-Za-z0-9]+"),
            Rule.of("BASE64_BLOB", "[A-Za-z0-9+/]{33,}={0,2}"));

    private Redaction() {}

    static String of(String text) {
        String redacted = text;
        for (var rule : RULES) {
            redacted = rule.pattern().matcher(redacted).replaceAll(rule.replacement());
        }
        return redacted;
    }
}
