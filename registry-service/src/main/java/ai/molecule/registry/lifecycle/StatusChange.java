package ai.molecule.registry.lifecycle;

import ai.molecule.common.workspaces.WorkspaceStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A decided change of one workspace's status: one legal transition or several in a row, each with its event. It can only be made
 * through the table of {@link LegalTransitions}, and is applied only while the workspace still has the status it starts from.
 */
public final class StatusChange {

    private static final Logger LOGGER = LoggerFactory.getLogger(StatusChange.class);

    /** One legal transition and what is told of it. */
    public record Step(WorkspaceStatus to, RecordedEvent event) {}

    private final UUID workspaceId;
    private final WorkspaceStatus from;
    private final List<Step> steps;
    private final @Nullable Integer start;

    private StatusChange(UUID workspaceId, WorkspaceStatus from, List<Step> steps, @Nullable Integer start) {
        this.workspaceId = workspaceId;
        this.from = from;
        this.steps = steps;
        this.start = start;
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
        return to.map(status -> new StatusChange(workspaceId, from, List.of(new Step(status, event)), null));
    }

    /** This change followed by {@code next}, which must start where this one ends. */
    public StatusChange then(StatusChange next) {
        if (!next.workspaceId.equals(workspaceId) || next.from != to()) {
            throw new IllegalArgumentException("%s does not follow %s".formatted(next.from, to()));
        }
        var all = new ArrayList<>(steps);
        all.addAll(next.steps);
        return new StatusChange(workspaceId, from, List.copyOf(all), start);
    }

    /** This change, applied only while {@code incarnation} is the wanted start. */
    public StatusChange during(int incarnation) {
        return new StatusChange(workspaceId, from, steps, incarnation);
    }

    public UUID workspaceId() {
        return workspaceId;
    }

    public WorkspaceStatus from() {
        return from;
    }

    public WorkspaceStatus to() {
        return steps.getLast().to;
    }

    /** In order, at least one. */
    public List<Step> steps() {
        return steps;
    }

    /** The start this change is about; null when it does not matter which. */
    @Nullable
    Integer start() {
        return start;
    }
}
