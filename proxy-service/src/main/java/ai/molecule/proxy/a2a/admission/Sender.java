package ai.molecule.proxy.a2a.admission;

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
public record Sender(
        @Nullable UUID workspaceId,
        boolean self,
        boolean paused,
        @Nullable String system) {

    public static final Sender CANVAS = new Sender(null, false);

    public Sender(@Nullable UUID workspaceId, boolean self) {
        this(workspaceId, self, false, null);
    }

    public static Sender system(String name) {
        return new Sender(null, false, false, "system:" + name);
    }

    public boolean isCanvas() {
        return workspaceId == null && system == null;
    }
}
