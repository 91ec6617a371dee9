package ai.molecule.events.chats;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.proxy.WorkAnswers;
import ai.molecule.common.bus.registry.KeptSecret;
import ai.molecule.common.directory.OrgChartCache;
import ai.molecule.common.json.Json;
import ai.molecule.common.loops.InTurn;
import ai.molecule.common.reconcilers.RunReport;
import ai.molecule.events.chats.PgChatStore.Held;
import ai.molecule.events.chats.PgChatStore.Reply;
import ai.molecule.events.chats.TelegramApi.Access;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads what the bot is told, one thing after the other, and says what is to be said there. One replica does it at a time: a second reader would
 * be sent away by the messenger, and of two only one moves on in the table. What the messenger was not told to forget it tells again, for a day.
 *
 * @param replica this one
 * @param poll how long the messenger may wait for something to tell
 * @param pause after a reply that was not taken; it doubles
 */
record ChatRounds(
        PgChatStore store,
        Listening listening,
        TelegramApi api,
        OrgChartCache charts,
        Bus bus,
        UUID replica,
        Duration poll,
        Duration pause) {

    static final String SECRET = "chats/telegram";

    private static final Logger LOGGER = LoggerFactory.getLogger(ChatRounds.class);

    /** Longer than a question to the messenger can take. */
    private static final Duration LEASE = Duration.ofSeconds(60);

    private static final int UPDATES_MAX = 20;

    /** At one update, about a minute: what cannot be taken holds up nobody for longer. */
    private static final int TRIES_MAX = 30;

    /** At one reply: with pauses that double up to ten minutes, some hours. */
    private static final int ATTEMPTS_MAX = 30;

    private static final Duration PAUSE_MAX = Duration.ofMinutes(10);

    /** Asks the bot what it was told, and does it. */
    Future<Object> listen() {
        return store.hold(replica, LEASE).compose(held -> held.isEmpty() ? stoodBy() : listen(held.get()));
    }

    private static Future<Object> stoodBy() {
        return Future.succeededFuture(RunReport.StoodBy.STOOD_BY);
    }

    private Future<Object> listen(Held held) {
        return access(held)
                .compose(access -> updates(access, held).compose(updates -> take(access, updates)))
                .recover(failure -> failure instanceof NotTaken said
                        ? store.failed(replica, said.why(), false)
                                .map(noted -> outcome("heard nothing", "the bot cannot be read: " + said.why()))
                        : Future.failedFuture(failure))
                .map(outcome -> outcome);
    }

    private Future<RunReport.Outcome> take(Access access, List<JsonNode> updates) {
        return updates.isEmpty()
                ? store.heardNothing(replica).map(done -> outcome("heard nothing", null))
                : InTurn.each(updates, update -> take(access, update))
                        .map(done -> outcome("heard %d".formatted(updates.size()), null));
    }

    private static RunReport.Outcome outcome(String did, @Nullable String says) {
        return new RunReport.Outcome(did, says);
    }

    private Future<Access> access(Held held) {
        return bus.call(KeptSecret.CONTRACT, new KeptSecret(SECRET)).map(kept -> {
            var token = kept.value();
            if (token == null) {
                throw new NotTaken("its token is not kept, or cannot be decrypted", false, null);
            }
            return new Access(held.url(), token);
        });
    }

    private Future<List<JsonNode>> updates(Access access, Held held) {
        var body = Json.object()
                .put("offset", held.nextUpdate())
                .put("limit", UPDATES_MAX)
                .put("timeout", poll.toSeconds());
        body.putArray("allowed_updates").add("message").add("callback_query");
        return api.call(access, "getUpdates", body, poll).map(result -> {
            List<JsonNode> updates = new ArrayList<>();
            result.forEach(update -> {
                if (update.path("update_id").asLong() >= held.nextUpdate()) {
                    updates.add(update);
                }
            });
            return updates;
        });
    }

    /** One that failed is tried again with all behind it, until it was tried too often. */
    private Future<Void> take(Access access, JsonNode update) {
        long id = update.path("update_id").asLong();
        return store.hold(replica, LEASE).compose(found -> {
            if (found.isEmpty()) {
                return Future.failedFuture(new IllegalStateException("another replica reads what the bot is told"));
            }
            var held = found.get();
            var said = Incoming.of(update).orElse(null);
            if (said == null) {
                return store.heard(replica, held.nextUpdate(), id + 1, transaction -> Future.succeededFuture());
            }
            return listening
                    .to(said, held.bot())
                    .compose(kept -> store.heard(replica, held.nextUpdate(), id + 1, kept))
                    .onSuccess(moved -> seen(access, said))
                    .recover(failure -> held.tries() + 1 < TRIES_MAX
                            ? store.failed(replica, "what it was told cannot be taken at the moment", true)
                                    .compose(noted -> Future.failedFuture(failure))
                            : givenUp(held, id, said, failure));
        });
    }

    /** The button shows that it was pressed until then; nothing depends on it. */
    private void seen(Access access, Incoming said) {
        var pressed = said.pressed();
        if (pressed != null) {
            api.call(access, "answerCallbackQuery", Json.object().put("callback_query_id", pressed.id()))
                    .otherwiseEmpty();
        }
    }

    private Future<Void> givenUp(Held held, long id, Incoming said, Throwable why) {
        LOGGER.atError()
                .setCause(why)
                .addKeyValue("updateId", id)
                .log("what the bot was told could not be taken, it is passed over");
        return store.heard(replica, held.nextUpdate(), id + 1, listening.givenUp(said.sender()));
    }

    /** Says what came of what was asked, and whatever else is to be said. */
    Future<Object> speak() {
        return store.hold(replica, LEASE).compose(held -> held.isEmpty() ? stoodBy() : speak(held.get()));
    }

    private Future<Object> speak(Held held) {
        return answers()
                .compose(done -> store.replies())
                .compose(replies -> replies.isEmpty()
                        ? Future.succeededFuture("nothing to say")
                        : access(held)
                                .compose(access -> InTurn.each(replies, reply -> say(access, reply)))
                                .map(said -> "said %d".formatted(said.size())));
    }

    private Future<?> answers() {
        return store.questions().compose(open -> {
            if (open.isEmpty()) {
                return Future.succeededFuture();
            }
            var ids = open.stream().map(PgChatStore.Question::workId).toList();
            return bus.call(WorkAnswers.CONTRACT, new WorkAnswers(ids))
                    .compose(found -> InTurn.each(found.answers(), one -> answer(one, open)));
        });
    }

    private Future<?> answer(WorkAnswers.One one, List<PgChatStore.Question> open) {
        var workspace = open.stream()
                .filter(question -> question.workId().equals(one.id()))
                .findFirst()
                .orElseThrow()
                .workspaceId();
        return charts.find(workspace)
                .compose(found -> store.answer(
                        one.id(),
                        Listening.answer(found.map(entry -> entry.name()).orElse(null), one.state(), one.answer())));
    }

    private Future<Void> say(Access access, Reply reply) {
        return api.call(access, "sendMessage", TelegramApi.message(reply.sender(), reply.words()))
                .transform(said -> {
                    if (said.succeeded()) {
                        return store.taken(reply);
                    }
                    boolean forGood = said.cause() instanceof NotTaken refused && refused.forGood();
                    if (forGood || reply.attempts() + 1 >= ATTEMPTS_MAX) {
                        LOGGER.atWarn()
                                .addKeyValue("sender", reply.sender())
                                .log("somebody at a messenger does not take what is said there, it is given up");
                        return store.taken(reply);
                    }
                    return store.again(reply, pauseAfter(reply, said.cause()));
                });
    }

    private Duration pauseAfter(Reply reply, Throwable why) {
        var asked = why instanceof NotTaken said ? said.pause() : null;
        var grown = pause.multipliedBy(1L << Math.min(reply.attempts(), 16));
        return asked != null ? asked : grown.compareTo(PAUSE_MAX) < 0 ? grown : PAUSE_MAX;
    }
}
