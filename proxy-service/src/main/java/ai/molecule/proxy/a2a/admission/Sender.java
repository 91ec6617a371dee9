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
 * @param who the person, as we saw it; null for everybody else, and for a person whose message was taken in before
 */
public record Sender(
        @Nullable UUID workspaceId,
        boolean self,
        boolean paused,
        @Nullable String system,
        @Nullable String who) {

    public static final Sender CANVAS = new Sender(null, false);

    public Sender(@Nullable UUID workspaceId, boolean self) {
        this(workspaceId, self, false, null);
    }

    public Sender(@Nullable UUID workspaceId, boolean self, boolean paused, @Nullable String system) {
        this(workspaceId, self, paused, system, null);
    }

    /** The person at the canvas who showed this. */
    public static Sender person(String who) {
        return new Sender(null, false, false, null, who);
    }

    public static Sender system(String name) {
        return new Sender(null, false, false, "system:" + name);
    }

    public boolean isCanvas() {
        return workspaceId == null && system == null;
    }
}
