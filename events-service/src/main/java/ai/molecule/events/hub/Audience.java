package ai.molecule.events.hub;

import ai.molecule.common.directory.OrgChart;
import ai.molecule.common.events.Event;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Which events a subscriber is shown. */
public sealed interface Audience {

    /** The canvas: all of them. */
    record Everything() implements Audience {}

    /** Those of one workspace, for a stream that names it. */
    record OneWorkspace(UUID id) implements Audience {}

    /** Whoever hears what the org chart allows at that moment. */
    sealed interface Judged extends Audience {

        /** What it gets of an event; null for nothing. */
        @Nullable
        Frame heard(Frame frame, OrgChart chart);
    }

    /** A canvas of somebody whose role is for these workspaces and all below them. That the inbox changed is told without what of. */
    record Branches(Set<UUID> branches) implements Judged {

        private static final String INBOX_CHANGED = "INBOX_CHANGED";

        @Override
        public @Nullable Frame heard(Frame frame, OrgChart chart) {
            var event = frame.event();
            var about = event.workspaceId();
            if (about == null) {
                return event.type().equals(INBOX_CHANGED) ? frame.withoutPayload() : null;
            }
            return chart.isWithin(about, branches) ? frame : null;
        }
    }

    /**
     * An agent: those of workspaces it may talk to, its own included. What was said in them it hears only where it took part: beyond
     * that an event tells that something happened, and to whom.
     *
     * @param addresses what it is told of where others listen
     */
    record Agent(UUID id, PeerAddresses addresses) implements Judged {

        /** Members of a payload that name a workspace that took part, besides the one that the event is of. */
        private static final List<String> PARTIES = List.of("source_id", "target_id", "caller_id");

        /** Events of no workspace that concern every agent somebody admitted, and say nothing of any. */
        private static final Set<String> FOR_ALL = Set.of("INSTRUCTIONS_CHANGED");

        /** Whether every agent that somebody admitted hears it; all others are heard near the workspace that they are of. */
        static boolean concernsAll(Event event) {
            return event.workspaceId() == null && FOR_ALL.contains(event.type());
        }

        /** Of an unknown party only its own; of no workspace, what is for all. */
        @Override
        public @Nullable Frame heard(Frame frame, OrgChart chart) {
            var about = frame.event().workspaceId();
            if (about == null) {
                return concernsAll(frame.event()) && chart.isAdmitted(id) ? frame : null;
            }
            if (!chart.mayHear(id, about)) {
                return null;
            }
            var heard = tookPart(frame.event()) ? frame : frame.withoutWords();
            return addresses.hidden() && !id.equals(about) ? heard.withoutAddress(addresses) : heard;
        }

        private boolean tookPart(Event event) {
            return id.equals(event.workspaceId())
                    || PARTIES.stream()
                            .anyMatch(party ->
                                    event.payload().path(party).asText().equals(id.toString()));
        }
    }
}
