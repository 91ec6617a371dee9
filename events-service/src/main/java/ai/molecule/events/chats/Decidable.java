package ai.molecule.events.chats;

import java.util.UUID;

/**
 * An approval that can be decided where it is shown whole.
 *
 * @param inboxId its row of the inbox
 * @param digest of what is shown; empty of one from before there were any
 */
public record Decidable(UUID inboxId, String digest) {

    /** What a button says has 64 bytes. Nobody finds another request whose digest begins with the same 96 bits. */
    private static final int NAMED_CHARS = 24;

    /** As much of the digest as a button says. */
    String named() {
        return digest.substring(0, Math.min(digest.length(), NAMED_CHARS));
    }
}
