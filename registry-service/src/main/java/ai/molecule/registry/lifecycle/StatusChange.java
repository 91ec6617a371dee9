package ai.molecule.registry.lifecycle;

import ai.molecule.common.workspaces.WorkspaceStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A decided change of one workspace's status: one legal transition or several in a row, each with its event. It can only be made
 * through the table of {@link LegalTransitions}, and is applied only while the workspace still has the status it starts from.
 */
public final class StatusChange {

    private static final Logger LOGGER = LoggerFactory.getLogger(StatusChange.class);

    private final UUID workspaceId;
    private final WorkspaceStatus from;
    private final WorkspaceStatus to;
    private final List<RecordedEvent> events;

    private StatusChange(UUID workspaceId, WorkspaceStatus from, WorkspaceStatus to, List<RecordedEvent> events) {
        this.workspaceId = workspaceId;
        this.from = from;
        this.to = to;
        this.events = events;
    }

    /** Empty, and logged, when the table does not allow it. */
    public static Optional<StatusChange> decide(
            UUID workspaceId, WorkspaceStatus from, Trigger trigger, RecordedEvent event) {
        var to = LegalTransitions.next(from, trigger);
        if (to.isEmpty()) {
            LOGGER.atWarn()
                    .addKeyValue("workspaceId", workspaceId)
                    .addKeyValue("status", from.wire())
                    .addKeyValue("trigger", trigger)
                    .log("illegal transition refused");
        }
        return to.map(status -> new StatusChange(workspaceId, from, status, List.of(event)));
    }

    /** This change followed by {@code next}, which must start where this one ends. */
    public StatusChange then(StatusChange next) {
        if (!next.workspaceId.equals(workspaceId) || next.from != to) {
            throw new IllegalArgumentException("%s does not follow %s".formatted(next.from, to));
        }
        var all = new ArrayList<>(events);
        all.addAll(next.events);
        return new StatusChange(workspaceId, from, next.to, List.copyOf(all));
    }

    public UUID workspaceId() {
        return workspaceId;
    }

    public WorkspaceStatus from() {
        return from;
    }

    public WorkspaceStatus to() {
        return to;
    }

    /** One per step, in order. */
    public List<RecordedEvent> events() {
        return events;
    }
}
