package ai.molecule.sdk;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Fetches messages: for agents that nobody can call. The platform holds each request open until something arrives, so a
 * message is here within a round trip; a platform that cannot is asked every {@link PollOptions#interval()}.
 *
 * <pre>{@code
 * var delivery = new PollDelivery(client, PollOptions.defaults().withCursorFile(Path.of("cursor")));
 * client.runAgentLoop(handler, delivery, LoopOptions.defaults());
 * }</pre>
 *
 * <p>Messages are handled in the order received, and the cursor moves after each, also when its handler failed. A process
 * that dies while handling gets that one message again: at least once, not exactly once. When the platform forgot the cursor
 * (410) the newest messages are asked for; those among the last {@value #REMEMBERED_MAX} this process handled are left out.
 */
public final class PollDelivery implements InboundDelivery {

    private static final Logger LOGGER = System.getLogger(PollDelivery.class.getName());
    private static final int REMEMBERED_MAX = 1000;

    /** A request that came back empty this much before its time was not held open. */
    private static final Duration EARLY = Duration.ofSeconds(1);

    private final RemoteAgentClient client;
    private final PollOptions options;
    private final Optional<CursorFile> file;
    private final Set<String> handled = new LinkedHashSet<>();
    private final WakeableWait fetching = new WakeableWait();
    private volatile Optional<String> cursor;
    private volatile boolean stopped;
    private volatile Duration pause = Duration.ZERO;

    /** {@link PollOptions#defaults()}. */
    public PollDelivery(RemoteAgentClient client) {
        this(client, PollOptions.defaults());
    }

    /** Begins after the message the cursor file names, if there is one. */
    public PollDelivery(RemoteAgentClient client, PollOptions options) {
        this.client = client;
        this.options = options;
        this.file = options.cursorFile().map(CursorFile::new);
        this.cursor = file.flatMap(CursorFile::load);
    }

    /** The id of the message handled last. */
    public Optional<String> cursor() {
        return cursor;
    }

    @Override
    public int runOnce(MessageHandler handler) {
        pause = Duration.ZERO;
        int count = 0;
        try {
            List<InboundMessage> messages = fetch();
            for (InboundMessage message : messages) {
                if (stopped || fetching.isWoken()) {
                    break;
                }
                if (!handled.contains(message.activityId())) {
                    if (!dispatch(message, handler)) {
                        break;
                    }
                    count++;
                }
                moveCursorTo(message.activityId());
            }
            if (count == 0 && !messages.isEmpty()) {
                pause = options.interval(); // nothing new: an older platform knows no cursor and answers at once
            }
        } finally {
            fetching.clear();
        }
        return count;
    }

    @Override
    public Duration pause() {
        return pause;
    }

    @Override
    public void wake() {
        fetching.wake();
    }

    @Override
    public void stop() {
        stopped = true;
        fetching.wake();
    }

    private List<InboundMessage> fetch() {
        if (stopped) {
            return List.of();
        }
        InboundQuery query =
                InboundQuery.newest(options.limit()).ofType(options.type()).waiting(options.heldOpen());
        InboundQuery asked = cursor.map(query::since).orElse(query);
        long asking = System.nanoTime();
        try {
            List<InboundMessage> messages = fetching.call(() -> client.fetchInbound(asked));
            if (messages == null) {
                return List.of();
            }
            Duration took = Duration.ofNanos(System.nanoTime() - asking);
            if (options.heldOpen().isZero()
                    || messages.isEmpty() && took.plus(EARLY).compareTo(options.heldOpen()) < 0) {
                pause = options.interval();
            }
            return messages;
        } catch (CursorLostException e) {
            LOGGER.log(
                    Level.WARNING,
                    "the platform knows message {0} no more, asking for the newest ones",
                    asked.sinceId().orElse(""));
            pause = cursor.isEmpty() ? options.interval() : Duration.ZERO;
            cursor = Optional.empty(); // the file stays: the next message replaces it
            return List.of();
        }
    }

    /** @return false when the thread was interrupted: then the message was not handled */
    private boolean dispatch(InboundMessage message, MessageHandler handler) {
        try {
            String reply = handler.handle(message, client);
            if (reply != null && !reply.isBlank()) {
                client.reply(message, reply);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (Exception e) {
            LOGGER.log(Level.WARNING, "message " + message.activityId() + " could not be handled or replied to", e);
            return true;
        }
    }

    private void moveCursorTo(String activityId) {
        cursor = Optional.of(activityId);
        file.ifPresent(kept -> kept.save(activityId));
        handled.add(activityId);
        if (handled.size() > REMEMBERED_MAX) {
            handled.remove(handled.iterator().next());
        }
    }
}
