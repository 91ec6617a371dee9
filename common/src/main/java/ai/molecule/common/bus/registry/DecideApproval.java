package ai.molecule.common.bus.registry;

import ai.molecule.common.bus.Contract;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A person decides at a messenger. Called by events-service; the second of two finds it decided, NOT_FOUND, and so does whoever may not look
 * there. FORBIDDEN for who may look and not decide, with {@code code} {@code not_a_decider} where a rule says who does; CONFLICT where it is not
 * what they were shown, with {@code code} {@code approved_already} for who approved it before.
 *
 * @param channel by which it came, as the record shows it
 * @param tokenHash of the person there, see {@link LinkChat}
 * @param digest of what they were shown; null where the message had none, or is from before there were any
 */
public record DecideApproval(
        UUID workspaceId,
        UUID approvalId,
        boolean approved,
        String channel,
        String tokenHash,
        @Nullable String digest) {

    public static final Contract<DecideApproval, Decided> CONTRACT =
            Contract.of("registry.decide-approval", DecideApproval.class, Decided.class);

    /** Of a refusal, why: a rule says that others decide, or the same person approved it before. */
    public static final String CODE = "code";

    public static final String NOT_A_DECIDER = "not_a_decider";
    public static final String APPROVED_ALREADY = "approved_already";

    /**
     * @param status {@code approved} or {@code denied}, as the person decided
     * @param waits for whom it still waits, as a sentence; null for one that is decided
     */
    public record Decided(String status, @Nullable String waits) {}
}
