package ai.molecule.registry.memories;

import ai.molecule.common.text.CredentialShapes;
import java.util.function.IntPredicate;

/**
 * Takes what looks like a secret out of a text. Also eats harmless runs of 33 and more letters and digits: better that than a key
 * that everybody reads. Linear in the text's length, and without regular expressions: it runs on an event loop, over megabytes.
 */
final class Redaction {

    private static final int KEY_MIN = 16;
    private static final int BLOB_MIN = 33;
    private static final String PEM_BEGIN = "-----BEGIN ";
    private static final String PEM_END = "-----END ";
    private static final String PEM_KEY = "PRIVATE KEY-----";
    private static final int PEM_NAME_MAX = 40;

    private final String text;
    private final String replacement;
    private final StringBuilder redacted = new StringBuilder();
    private int copied;

    private Redaction(String text, String label) {
        this.text = text;
        this.replacement = "[REDACTED:%s]".formatted(label);
    }

    /** In this order: a later rule sees what the earlier ones left. */
    static String of(String text) {
        String left = text;
        for (String label : new String[] {"API_KEY", "TOKEN", "SECRET"}) {
            left = new Redaction(left, label).assignments("_" + label);
        }
        left = new Redaction(left, "BEARER_TOKEN").prefixed("Bearer ", 1, Redaction::visible);
        left = new Redaction(left, "SK_TOKEN")
                .prefixed("sk-", KEY_MIN, one -> alphanumeric(one) || one == '_' || one == '-');
        for (var shape : CredentialShapes.ALL) {
            for (String beginning : shape.beginnings()) {
                left = new Redaction(left, shape.label()).prefixed(beginning, shape.minChars(), shape::accepts);
            }
        }
        left = new Redaction(left, "PRIVATE_KEY").privateKeys();
        left = new Redaction(left, "CTX7_TOKEN").prefixed("ctx7_", 1, Redaction::alphanumeric);
        return new Redaction(left, "BASE64_BLOB").blobs();
    }

    /** {@code NAME_SUFFIX=value}, names in any case, the value up to the next blank. */
    private String assignments(String suffix) {
        for (int equals = text.indexOf('='); equals >= 0; equals = text.indexOf('=', Math.max(equals + 1, copied))) {
            int start = equals - suffix.length();
            if (start < copied || !text.regionMatches(true, start, suffix, 0, suffix.length())) {
                continue;
            }
            int end = endOf(equals + 1, Redaction::visible);
            if (end > equals + 1) {
                while (start > copied && word(text.charAt(start - 1))) {
                    start--;
                }
                replace(start, end);
            }
        }
        return rest();
    }

    private String prefixed(String prefix, int min, IntPredicate accepted) {
        for (int start = text.indexOf(prefix); start >= 0; start = text.indexOf(prefix, Math.max(start + 1, copied))) {
            int end = endOf(start + prefix.length(), accepted);
            if (end - start - prefix.length() >= min) {
                replace(start, end);
            }
        }
        return rest();
    }

    /** In PEM, to its end or to that of the text. */
    private String privateKeys() {
        for (int begin = text.indexOf(PEM_BEGIN); begin >= 0; begin = text.indexOf(PEM_BEGIN, begin + 1)) {
            int named = begin + PEM_BEGIN.length();
            int most = Math.min(text.length(), named + PEM_NAME_MAX + PEM_KEY.length());
            int of = begin < copied ? -1 : text.indexOf(PEM_KEY, named, most);
            if (of < 0 || !isPemName(named, of)) {
                continue;
            }
            int end = text.indexOf(PEM_END, of);
            int over = end < 0 ? -1 : text.indexOf(PEM_KEY, end);
            replace(begin, over < 0 ? text.length() : over + PEM_KEY.length());
        }
        return rest();
    }

    private boolean isPemName(int start, int end) {
        return text.substring(start, end)
                .chars()
                .allMatch(one -> one == ' ' || (one >= 'A' && one <= 'Z') || (one >= '0' && one <= '9'));
    }

    /** A run long enough has its character number 33: whatever ends before that one need not be looked at. */
    private String blobs() {
        int start = 0;
        while (start + BLOB_MIN <= text.length()) {
            int last = start + BLOB_MIN - 1;
            while (last >= start && blob(text.charAt(last))) {
                last--;
            }
            if (last >= start) {
                start = last + 1;
                continue;
            }
            int end = endOf(start + BLOB_MIN, Redaction::blob);
            for (int padding = 0; padding < 2 && end < text.length() && text.charAt(end) == '='; padding++) {
                end++;
            }
            replace(start, end);
            start = end;
        }
        return rest();
    }

    private int endOf(int from, IntPredicate accepted) {
        int end = from;
        while (end < text.length() && accepted.test(text.charAt(end))) {
            end++;
        }
        return end;
    }

    private void replace(int start, int end) {
        redacted.append(text, copied, start).append(replacement);
        copied = end;
    }

    private String rest() {
        return copied == 0 ? text : redacted.append(text, copied, text.length()).toString();
    }

    private static boolean visible(int one) {
        return one != ' ' && one != '\t' && one != '\n' && one != '\r' && one != '\f';
    }

    private static boolean word(int one) {
        return alphanumeric(one) || one == '_';
    }

    private static boolean blob(int one) {
        return alphanumeric(one) || one == '+' || one == '/';
    }

    private static boolean alphanumeric(int one) {
        return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z') || (one >= '0' && one <= '9');
    }
}
