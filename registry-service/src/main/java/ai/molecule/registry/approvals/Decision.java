package ai.molecule.registry.approvals;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Role;
import ai.molecule.common.http.JsonBody;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What was decided, and by whom.
 *
 * @param decidedBy the person whose credential it was; as whoever decided calls itself where that names nobody
 * @param decidedWith the credential it was decided with
 * @param grace how long it can be taken back; zero for one that counts at once
 * @param digest of what whoever decided was shown, see {@link ApprovalDigest}; null where their client names none
 * @param shown where they were shown it: {@code page}, {@code terminal}, {@code api}, or a messenger
 * @param decider the person, where the credential names one
 */
public record Decision(
        boolean approved,
        String decidedBy,
        String decidedWith,
        Duration grace,
        @Nullable String digest,
        String shown,
        @Nullable Decider decider) {

    /** @param there the role of that person at the agent, now */
    public record Decider(String login, Role there) {}

    /** What becomes of a request that nobody decided. */
    static final String EXPIRED_BY = "auto-expired";

    static final String EXPIRED_WITH = "expiry";

    private static final String DECIDED_BY_DEFAULT = "human";
    private static final long GRACE_MAX_SECONDS = 3_600;

    /** What a client may say; messengers are known by the way that it comes. */
    private static final Set<String> SHOWN = Set.of("page", "terminal", "api");

    private static final String SHOWN_DEFAULT = "api";

    /** @param decider whom the credential names: then nobody is asked who decided */
    static Decision of(JsonBody body, String decidedWith, @Nullable Decider decider) {
        String decision = body.requiredText("decision");
        if (!decision.equals("approved") && !decision.equals("denied")) {
            throw ApiError.invalid("decision must be 'approved' or 'denied'");
        }
        long grace = body.integer("grace_seconds", 0);
        if (grace < 0 || grace > GRACE_MAX_SECONDS) {
            throw ApiError.invalid("grace_seconds must be between 0 and %d".formatted(GRACE_MAX_SECONDS));
        }
        String digest = body.text("digest");
        if (digest != null && !ApprovalDigest.isOne(digest)) {
            throw ApiError.invalid("digest must be 64 lower-case hexadecimal digits, as the approval has it");
        }
        String shown = body.text("shown", SHOWN_DEFAULT);
        if (!SHOWN.contains(shown)) {
            throw ApiError.invalid("shown must be page, terminal or api");
        }
        String said = body.text("decided_by", "");
        String decidedBy = said.isEmpty() ? DECIDED_BY_DEFAULT : said;
        return new Decision(
                decision.equals("approved"),
                decider == null ? decidedBy : decider.login,
                decidedWith,
                Duration.ofSeconds(grace),
                digest,
                shown,
                decider);
    }

    /** The status it leads to. */
    String status() {
        return approved ? "approved" : "denied";
    }
}
