package ai.molecule.common.bus.registry;

import ai.molecule.common.bus.Contract;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A delegation passport for whoever is asked next: signed, it says on whose behalf, who asked whom, and what is left of what was allowed.
 * Either a first one, for what a person asks, or one that hands another on, which can only narrow. Called by the proxy once for a principal
 * or a passport, a work or delegation, and a target, never per message. Fails with FORBIDDEN where the passport that is handed on is not
 * believed, would be widened, is used up, or would go in a circle or too deep, then with the path; with NOT_FOUND for an unknown target, and
 * with UNAVAILABLE while there is no key.
 *
 * @param target who is asked
 * @param principal on whose behalf, for a first one; else null
 * @param caller who hands {@code parent} on; null for a first one
 * @param parent the passport that is handed on; null for a first one
 * @param work of which it is a part; null for that of the parent
 * @param delegation which it is for; null for none of its own
 * @param budget what may be spent of it, in US dollars; null for what the parent has
 * @param deadline null for that of the parent
 * @param tools that may be used; null for those of the parent
 * @param toAsker whether it may go back to whoever asked the caller, as a question does and a delegation does not
 */
public record IssuePassport(
        UUID target,
        @Nullable String principal,
        @Nullable UUID caller,
        @Nullable String parent,
        @Nullable String work,
        @Nullable String delegation,
        @Nullable BigDecimal budget,
        @Nullable Instant deadline,
        @Nullable List<String> tools,
        boolean toAsker) {

    public static final Contract<IssuePassport, Issued> CONTRACT =
            Contract.of("registry.issue-passport", IssuePassport.class, Issued.class);

    /** For what a person asks. */
    public static IssuePassport first(
            UUID target,
            String principal,
            @Nullable String work,
            @Nullable BigDecimal budget,
            @Nullable Instant deadline,
            @Nullable List<String> tools) {
        return new IssuePassport(target, principal, null, null, work, null, budget, deadline, tools, false);
    }

    /** For a message that one agent sends to another. */
    public static IssuePassport message(UUID target, UUID caller, String parent) {
        return new IssuePassport(target, null, caller, parent, null, null, null, null, null, true);
    }

    /**
     * @param id its {@code jti}
     * @param says it as a sentence
     * @param budget what is left, in US dollars; null for no bound of its own
     */
    public record Issued(
            String token, UUID id, String says, @Nullable BigDecimal budget, Instant expiresAt) {

        @Override
        public String toString() {
            return "Issued[" + id + "]"; // a token never reaches a log
        }
    }

    /** Without the passport. */
    @Override
    public String toString() {
        return "IssuePassport[" + target + "]";
    }
}
