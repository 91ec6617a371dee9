package ai.molecule.events.hub;

import ai.molecule.common.events.Event;
import ai.molecule.events.directory.OrgChart;
import java.util.UUID;

/** Which events a subscriber is shown. */
public sealed interface Audience {

    /** The canvas: all of them. */
    record Everything() implements Audience {}

    /** Those of one workspace, for a stream that names it. */
    record OneWorkspace(UUID id) implements Audience {}

    /** An agent: those of workspaces it may talk to, its own included. */
    record Agent(UUID id) implements Audience {

        /** With an unknown party only its own pass; events of no workspace never do. */
        boolean mayHear(Event event, OrgChart chart) {
            var workspaceId = event.workspaceId();
            return workspaceId != null && chart.rule().allows(id, workspaceId);
        }
    }
}
