package ai.molecule.events.chats;

import ai.molecule.common.approvals.ShownDeciders;
import ai.molecule.common.auth.Role;
import ai.molecule.common.text.VisibleText;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An approval that can be decided where it is shown whole.
 *
 * @param inboxId its row of the inbox
 * @param digest of what is shown; empty of one from before there were any
 * @param deciders who decides it; empty without a rule
 */
public record Decidable(UUID inboxId, String digest, Optional<ShownDeciders> deciders) {

    /** What a button says has 64 bytes. Nobody finds another request whose digest begins with the same 96 bits. */
    private static final int NAMED_CHARS = 24;

    /** Why that person is offered no decision, and for whom it waits; empty where they may decide. */
    Optional<String> whyNot(String login, @Nullable Role there) {
        return deciders.flatMap(shown ->
                shown.whyNot(login, there).map(why -> "%s Now: %s.".formatted(why, VisibleText.line(shown.waits()))));
    }

    boolean isApprovedBy(String login) {
        return deciders.map(shown -> shown.isApprovedBy(login)).orElse(false);
    }

    /** As much of the digest as a button says. */
    String named() {
        return digest.substring(0, Math.min(digest.length(), NAMED_CHARS));
    }
}
