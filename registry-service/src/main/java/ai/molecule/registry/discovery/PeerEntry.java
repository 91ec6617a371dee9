package ai.molecule.registry.discovery;

import ai.molecule.common.json.Json;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A workspace in its peers' lists, ready to be sent.
 *
 * @param json its object in the array; not to be changed
 */
record PeerEntry(String name, @Nullable String role, int activeTasks, byte[] json) {

    static PeerEntry of(Peer peer) {
        return new PeerEntry(
                peer.name(),
                peer.role(),
                peer.activeTasks(),
                Json.buffer(peer.toJson()).getBytes());
    }

    /** Whether name or role contains the text, in any case. */
    boolean matches(String text) {
        String sought = text.toLowerCase(Locale.ROOT);
        return name.toLowerCase(Locale.ROOT).contains(sought)
                || (role != null && role.toLowerCase(Locale.ROOT).contains(sought));
    }
}
