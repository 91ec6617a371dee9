package ai.molecule.runtime.tools;

import ai.molecule.sdk.CursorLostException;
import ai.molecule.sdk.Heartbeat;
import ai.molecule.sdk.InboundMessage;
import ai.molecule.sdk.InboundQuery;
import ai.molecule.sdk.PlatformClient;
import ai.molecule.sdk.PlatformException;
import ai.molecule.sdk.WorkspaceClient;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Fetches a workspace's messages into the inbox, and says between two fetches that the workspace lives. Begins with what came
 * in the last ten minutes. Runs until it is interrupted; whatever the platform does, it goes on.
 */
public final class InboxFeed implements Runnable {

    private static final Logger LOGGER = System.getLogger(InboxFeed.class.getName());
    private static final int PAGE = 100;
    private static final Duration LOOK_BACK = Duration.ofMinutes(10);
    private static final Duration PAUSE = Duration.ofSeconds(5);

    /** Shorter than the time after which a silent workspace counts as gone, with room for a lost one. */
    private static final Duration HELD_OPEN = Duration.ofSeconds(15);

    private final WorkspaceClient workspace;
    private final PlatformClient platform;
    private final Inbox inbox;
    private final Instant start = Instant.now();
    private @Nullable String cursor;

    public InboxFeed(WorkspaceClient workspace, PlatformClient platform, Inbox inbox) {
        this.workspace = workspace;
        this.platform = platform;
        this.inbox = inbox;
    }

    @Override
    public void run() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                Instant before = Instant.now();
                boolean quiet = !round();
                if (quiet && Duration.between(before, Instant.now()).compareTo(PAUSE) < 0) {
                    Thread.sleep(PAUSE); // the platform could not hold the request open
                }
            }
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether there were messages. */
    private boolean round() {
        try {
            platform.heartbeat(Heartbeat.idle(Duration.between(start, Instant.now())));
            if (inbox.isFull()) {
                return false;
            }
            boolean first = cursor == null;
            List<InboundMessage> messages = workspace.fetchInbound(query());
            for (InboundMessage message : messages) {
                if (isForUs(message) && (!first || isFresh(message))) {
                    inbox.add(new Inbox.Arrived(message, workspace.id()));
                }
                cursor = message.activityId();
            }
            return !messages.isEmpty();
        } catch (CursorLostException e) {
            cursor = null;
        } catch (PlatformException e) {
            if (Thread.currentThread().isInterrupted()) {
                return false; // we are told to end
            }
            LOGGER.log(Level.WARNING, "messages of {0} cannot be fetched: {1}", workspace.id(), e.error());
        }
        return false;
    }

    private InboundQuery query() {
        InboundQuery query = InboundQuery.newest(PAGE).waiting(HELD_OPEN);
        return cursor == null ? query : query.since(cursor);
    }

    /** Not what we said ourselves. */
    private boolean isForUs(InboundMessage message) {
        boolean notification = message.sourceId().isEmpty()
                && message.raw().path("method").asText().equals("notify");
        return !notification && !message.sourceId().equals(workspace.id());
    }

    private boolean isFresh(InboundMessage message) {
        String time = message.raw().path("created_at").asText("");
        try {
            return time.isEmpty() || Instant.parse(time).isAfter(start.minus(LOOK_BACK));
        } catch (DateTimeParseException e) {
            return true;
        }
    }
}
