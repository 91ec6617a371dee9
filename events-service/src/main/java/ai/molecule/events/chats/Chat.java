package ai.molecule.events.chats;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Somebody at a messenger whom the platform knows.
 *
 * @param sender as the messenger knows it
 * @param login as the platform does
 * @param tokenHash by which the registry says what the person may there
 * @param speaksTo the agent that was addressed last; null for none yet
 */
record Chat(
        String sender,
        String login,
        String tokenHash,
        @Nullable UUID speaksTo) {}
