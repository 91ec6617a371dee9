package ai.molecule.proxy.a2a;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Who sends a message.
 *
 * @param workspaceId null for the canvas, which is the person, and for the platform
 * @param self whether the workspace writes to itself
 * @param paused whether it may only bring the results of work it had
 * @param system what the platform speaks as, such as {@code system:restart-context}; null for everybody else
 */
record Sender(
        @Nullable UUID workspaceId,
        boolean self,
        boolean paused,
        @Nullable String system) {

    static final Sender CANVAS = new Sender(null, false);

    Sender(@Nullable UUID workspaceId, boolean self) {
        this(workspaceId, self, false, null);
    }

    static Sender system(String name) {
        return new Sender(null, false, false, "system:" + name);
    }

    boolean isCanvas() {
        return workspaceId == null && system == null;
    }
}
