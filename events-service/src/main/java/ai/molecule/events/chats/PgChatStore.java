package ai.molecule.events.chats;

import ai.molecule.common.db.Database;
import ai.molecule.common.db.Sql;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The tables of bots and chats (db/events/V155__chats.sql). */
record PgChatStore(Database database) {

    static final String TELEGRAM = "telegram";

    /** People told of what waits, with all other targets: each thing is put into the outbox once for each of them. */
    private static final int TARGETS_MAX = 100;

    /**
     * A bot in this replica's hands.
     *
     * @param bot its number
     * @param nextUpdate what it was told is read from here on
     * @param tries at that one
     */
    record Held(String url, String bot, long nextUpdate, int tries) {}

    /** How it goes with the bot. */
    record Standing(
            String url,
            String bot,
            @Nullable Instant heardAt,
            @Nullable Instant failingSince,
            @Nullable String lastError,
            List<String> people) {}

    /** A piece of work that somebody asked for and that has not been answered. */
    record Question(UUID workId, UUID workspaceId) {}

    record Reply(long id, String sender, String words, int attempts) {}

    /** What is decided about. */
    record Waiting(UUID workspaceId, JsonNode details, String words, boolean resolved) {}

    /** Of another bot everything is counted anew. */
    private static final String SET = """
            INSERT INTO chat_bots (channel, url, bot) VALUES ($1, $2, $3)
            ON CONFLICT (channel) DO UPDATE SET url = excluded.url, bot = excluded.bot, tries = 0, failing_since = NULL, last_error = NULL,
                next_update = CASE WHEN chat_bots.bot = excluded.bot THEN chat_bots.next_update ELSE 0 END
            """;

    private static final String UNLINK_ALL = "DELETE FROM notification_targets WHERE channel = $1";

    private static final String DELETE = "DELETE FROM chat_bots WHERE channel = $1";

    private static final String STANDING = """
            SELECT *, (SELECT array_agg(DISTINCT login ORDER BY login) FROM chats WHERE chats.channel = chat_bots.channel) AS people
            FROM chat_bots WHERE channel = $1
            """;

    /** Safe under races because the row is one; whoever holds it may hold on. */
    private static final String HOLD = """
            UPDATE chat_bots SET holder = $2, held_until = now() + $3::bigint * interval '1 ms'
            WHERE channel = $1 AND (holder = $2 OR held_until IS NULL OR held_until < now()) RETURNING url, bot, next_update, tries
            """;

    private static final String RELEASE = "UPDATE chat_bots SET holder = NULL, held_until = NULL WHERE holder = $1";

    /** Of two that read the same one moves it. */
    private static final String MOVE = """
            UPDATE chat_bots SET next_update = $3, tries = 0, heard_at = now(), failing_since = NULL, last_error = NULL
            WHERE holder = $1 AND next_update = $2
            """;

    private static final String HEARD_NOTHING = """
            UPDATE chat_bots SET heard_at = now(), failing_since = NULL, last_error = NULL WHERE holder = $1
            """;

    private static final String FAILED = """
            UPDATE chat_bots SET tries = tries + $3, failing_since = coalesce(failing_since, now()), last_error = $2 WHERE holder = $1
            """;

    private static final String FIND = "SELECT * FROM chats WHERE sender = $1";

    private static final String OF_TARGET = "SELECT * FROM chats WHERE target = $1";

    /** Known anew: as whom, and with which rights, the last code says. */
    private static final String FORGET_TARGET =
            "DELETE FROM notification_targets USING chats WHERE notification_targets.id = chats.target AND chats.sender = $1";

    private static final String MAKE_TARGET = """
            INSERT INTO notification_targets (id, name, who, channel, url, zone, enabled)
            SELECT $1, $2, $3, $4, $5, 'UTC', true WHERE (SELECT count(*) FROM notification_targets) < $6
            """;

    private static final String LINK = """
            INSERT INTO chats (sender, channel, login, token_hash, target) VALUES ($1, $2, $3, $4, $5)
            """;

    private static final String SPEAKS_TO = "UPDATE chats SET speaks_to = $2 WHERE sender = $1";

    private static final String OPEN = "SELECT count(*)::integer FROM chat_questions WHERE sender = $1";

    private static final String ASKED = """
            INSERT INTO chat_questions (work_id, sender, workspace_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING
            """;

    private static final String QUESTIONS =
            "SELECT work_id, workspace_id FROM chat_questions ORDER BY asked_at LIMIT 100";

    /** Of two that have the answer one finds the question. */
    private static final String ANSWER = """
            WITH answered AS (DELETE FROM chat_questions WHERE work_id = $1 RETURNING sender)
            INSERT INTO chat_replies (sender, words) SELECT sender, $2 FROM answered
            """;

    private static final String REPLY = """
            INSERT INTO chat_replies (sender, words) SELECT $1, $2 WHERE EXISTS (SELECT 1 FROM chats WHERE sender = $1)
            """;

    /** The oldest of each: what follows it waits for it. */
    private static final String REPLIES = """
            SELECT * FROM (SELECT DISTINCT ON (sender) * FROM chat_replies ORDER BY sender, id) AS oldest
            WHERE due_at <= now() ORDER BY id LIMIT 20
            """;

    private static final String TAKEN = "DELETE FROM chat_replies WHERE id = $1";

    private static final String AGAIN = """
            UPDATE chat_replies SET attempts = attempts + 1, due_at = now() + $2::bigint * interval '1 ms' WHERE id = $1
            """;

    private static final String WAITING =
            "SELECT workspace_id, details::text AS details, words, resolved_at FROM inbox WHERE id = $1";

    Future<Void> set(String url, String bot) {
        return database.run(SET, Tuple.of(TELEGRAM, url, bot));
    }

    /** With everybody who is known there. */
    Future<Void> delete() {
        return database.transaction(transaction -> transaction
                .run(UNLINK_ALL, Tuple.of(TELEGRAM))
                .compose(gone -> transaction.run(DELETE, Tuple.of(TELEGRAM))));
    }

    Future<Optional<Standing>> standing() {
        return database.find(STANDING, Tuple.of(TELEGRAM), row -> {
            String @Nullable [] people = row.getArrayOfStrings("people");
            return new Standing(
                    row.getString("url"),
                    row.getString("bot"),
                    instant(row, "heard_at"),
                    instant(row, "failing_since"),
                    row.getString("last_error"),
                    people == null ? List.of() : List.of(people));
        });
    }

    /** Empty where there is none, or another replica has it. */
    Future<Optional<Held>> hold(UUID replica, Duration lease) {
        return database.find(
                HOLD,
                Tuple.of(TELEGRAM, replica, lease.toMillis()),
                row -> new Held(
                        row.getString("url"),
                        row.getString("bot"),
                        row.getLong("next_update"),
                        row.getInteger("tries")));
    }

    Future<Void> release(UUID replica) {
        return database.run(RELEASE, Tuple.of(replica));
    }

    /** Keeps what came of one update, and goes on behind it; fails, and keeps nothing, where this replica holds the bot no more. */
    Future<Void> heard(UUID replica, long from, long to, Function<Sql, Future<?>> kept) {
        return database.transaction(transaction -> transaction
                .changes(MOVE, Tuple.of(replica, from, to))
                .compose(moved -> moved
                        ? kept.apply(transaction)
                        : Future.failedFuture(new IllegalStateException("another replica reads what the bot is told")))
                .mapEmpty());
    }

    Future<Void> heardNothing(UUID replica) {
        return database.run(HEARD_NOTHING, Tuple.of(replica));
    }

    /** @param tried whether it was at an update, and not before one */
    Future<Void> failed(UUID replica, String why, boolean tried) {
        return database.run(FAILED, Tuple.of(replica, why, tried ? 1 : 0));
    }

    Future<Optional<Chat>> find(String sender) {
        return database.find(FIND, Tuple.of(sender), PgChatStore::toChat);
    }

    Future<Optional<Chat>> ofTarget(UUID target) {
        return database.find(OF_TARGET, Tuple.of(target), PgChatStore::toChat);
    }

    /** In the transaction of the update that said the code; nothing where there are as many targets as there may be. */
    static Future<Boolean> link(Sql transaction, String sender, String login, String tokenHash) {
        var target = UUID.randomUUID();
        return transaction
                .run(FORGET_TARGET, Tuple.of(sender))
                .compose(forgotten -> transaction.changes(
                        MAKE_TARGET, Tuple.of(target, "Telegram: " + login, login, TELEGRAM, sender, TARGETS_MAX)))
                .compose(made -> made
                        ? transaction
                                .run(LINK, Tuple.of(sender, TELEGRAM, login, tokenHash, target))
                                .map(true)
                        : Future.succeededFuture(false));
    }

    static Future<Void> unlink(Sql sql, String sender) {
        return sql.run(FORGET_TARGET, Tuple.of(sender));
    }

    static Future<Void> speakTo(Sql transaction, String sender, UUID workspace) {
        return transaction.run(SPEAKS_TO, Tuple.of(sender, workspace));
    }

    /** How many questions of somebody's are not answered. */
    Future<Integer> open(String sender) {
        return database.get(OPEN, Tuple.of(sender), row -> row.getInteger(0));
    }

    static Future<Void> asked(Sql transaction, String sender, UUID workId, UUID workspace) {
        return transaction
                .run(ASKED, Tuple.of(workId, sender, workspace))
                .compose(kept -> speakTo(transaction, sender, workspace));
    }

    /** The oldest. */
    Future<List<Question>> questions() {
        return database.list(
                QUESTIONS, Tuple.tuple(), row -> new Question(row.getUUID("work_id"), row.getUUID("workspace_id")));
    }

    Future<Boolean> answer(UUID workId, String words) {
        return database.changes(ANSWER, Tuple.of(workId, words));
    }

    static Future<Void> reply(Sql sql, String sender, String words) {
        return sql.run(REPLY, Tuple.of(sender, words));
    }

    /** The oldest of each who is due, at most 20. */
    Future<List<Reply>> replies() {
        return database.list(
                REPLIES,
                Tuple.tuple(),
                row -> new Reply(
                        row.getLong("id"),
                        row.getString("sender"),
                        row.getString("words"),
                        row.getInteger("attempts")));
    }

    Future<Void> taken(Reply reply) {
        return database.run(TAKEN, Tuple.of(reply.id));
    }

    Future<Void> again(Reply reply, Duration pause) {
        return database.run(AGAIN, Tuple.of(reply.id, pause.toMillis()));
    }

    Future<Optional<Waiting>> waiting(UUID inboxId) {
        return database.find(
                WAITING,
                Tuple.of(inboxId),
                row -> new Waiting(
                        row.getUUID("workspace_id"),
                        Json.stored(row.getString("details")),
                        row.getString("words"),
                        instant(row, "resolved_at") != null));
    }

    private static Chat toChat(Row row) {
        return new Chat(
                row.getString("sender"), row.getString("login"), row.getString("token_hash"), row.getUUID("speaks_to"));
    }

    private static @Nullable Instant instant(Row row, String column) {
        @Nullable OffsetDateTime time = row.getOffsetDateTime(column);
        return time == null ? null : time.toInstant();
    }
}
