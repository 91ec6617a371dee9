package ai.molecule.proxy.a2a;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Who sends a message.
 *
 * @param workspaceId null for the canvas, which is the person
 * @param self whether the workspace writes to itself
 */
record Sender(@Nullable UUID workspaceId, boolean self) {

    static final Sender CANVAS = new Sender(null, false);

    boolean isCanvas() {
        return workspaceId == null;
    }
}
