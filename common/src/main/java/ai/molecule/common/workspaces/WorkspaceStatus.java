package ai.molecule.common.workspaces;

import java.util.Arrays;
import java.util.Locale;

/** The statuses of a workspace as they stand on the wire and in the database: the lower-case name (decision 3). */
public enum WorkspaceStatus {
    PROVISIONING,
    ONLINE,
    DEGRADED,
    OFFLINE,
    PAUSED,
    FAILED,
    REMOVED,
    AWAITING_AGENT,
    HIBERNATED;

    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Fails with {@link IllegalArgumentException} for a text that is no status. */
    public static WorkspaceStatus ofWire(String text) {
        return Arrays.stream(values())
                .filter(status -> status.wire().equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no workspace status: " + text));
    }

    /** Whether an agent in this status is expected to answer and to heartbeat. */
    public boolean live() {
        return this == ONLINE || this == DEGRADED;
    }
}
