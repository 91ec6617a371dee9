package ai.molecule.runtime.cli;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** The end of what a program wrote to standard error: its kind is for the sender, the words, without secrets, for the log. */
final class Complaint {

    /** Only the end is kept: the reason comes last. */
    static final int KEPT_BYTES = 8 * 1024;

    private static final int LOGGED_CHARS = 500;
    private static final int SECRET_MIN_CHARS = 8;
    private static final Pattern RATE_LIMITED =
            Pattern.compile("rate.?limit|too many requests|\\b429\\b|overloaded|quota exceeded");
    private static final Pattern AUTH_FAILED = Pattern.compile(
            "unauthori[sz]ed|\\b401\\b|authenticat|(invalid|incorrect|missing) (api.?)?key|not logged in|/login");
    private static final Pattern SESSION_ERROR = Pattern.compile(
            "no conversation found|no rollout found|error resuming session|session\\b.*\\b(not found|expired|invalid|does not exist)");
    private static final Pattern OUT_OF_MEMORY =
            Pattern.compile("out of memory|cannot allocate memory|bad_alloc|heap limit");

    /** By itself, as JavaScript's engines do without a word when the system gives them no memory. */
    private static final int ABORTED = 134;

    private static final Pattern SECRET_NAME =
            Pattern.compile("KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH", Pattern.CASE_INSENSITIVE);

    private final byte[] end = new byte[KEPT_BYTES];
    private long written;

    synchronized void add(byte[] bytes, int length) {
        for (int i = 0; i < length; i++) {
            end[(int) (written++ % KEPT_BYTES)] = bytes[i];
        }
    }

    void add(String words) {
        byte[] bytes = words.getBytes(StandardCharsets.UTF_8);
        add(bytes, bytes.length);
    }

    /** {@code rate_limited}, {@code auth_failed}, {@code session_error}, {@code out_of_memory} or {@code exit_<n>}; {@code subprocess_error} for the exit code 0. */
    String kind(int exitCode) {
        String text = text().toLowerCase(Locale.ROOT);
        if (RATE_LIMITED.matcher(text).find()) {
            return "rate_limited";
        }
        if (AUTH_FAILED.matcher(text).find()) {
            return "auth_failed";
        }
        if (SESSION_ERROR.matcher(text).find()) {
            return "session_error";
        }
        if (exitCode == ABORTED || OUT_OF_MEMORY.matcher(text).find()) {
            return "out_of_memory: the program needs more than this tier allows";
        }
        return exitCode == 0 ? "subprocess_error" : "exit_" + exitCode;
    }

    /** @param environment whose secrets are left out */
    String forTheLog(Map<String, String> environment) {
        String text = text();
        for (var variable : environment.entrySet()) {
            if (variable.getValue().length() >= SECRET_MIN_CHARS
                    && SECRET_NAME.matcher(variable.getKey()).find()) {
                text = text.replace(variable.getValue(), "[" + variable.getKey() + "]");
            }
        }
        text = text.strip();
        return text.length() <= LOGGED_CHARS ? text : "..." + text.substring(text.length() - LOGGED_CHARS);
    }

    private synchronized String text() {
        int length = (int) Math.min(written, KEPT_BYTES);
        byte[] inOrder = new byte[length];
        for (int i = 0; i < length; i++) {
            inOrder[i] = end[(int) ((written - length + i) % KEPT_BYTES)];
        }
        return new String(inOrder, StandardCharsets.UTF_8);
    }
}
