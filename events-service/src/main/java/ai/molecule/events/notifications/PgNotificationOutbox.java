package ai.molecule.events.notifications;

import ai.molecule.common.db.Database;
import ai.molecule.common.db.Sql;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What targets are still to be told, in {@code notifications}. A target is due until its newest notification is ended; that one's number
 * stands in its own row, so none that comes meanwhile is overlooked, and a claim that was lost ends nothing.
 */
public record PgNotificationOutbox(Database database) {

    /**
     * A target in this replica's hands, with the oldest thing that it is to be told.
     *
     * @param n of the notification, or of the target's newest one where none is open
     * @param body null where none is open
     * @param details of the inbox's row; {@code {}} where there is none
     * @param over whether what it tells of waits no more
     */
    record Due(
            Target target,
            long claim,
            int attempts,
            long n,
            @Nullable String event,
            @Nullable JsonNode body,
            @Nullable UUID inboxId,
            JsonNode details,
            Instant createdAt,
            boolean over) {}

    /** A target that wants to hear how it went since. */
    record DigestDue(UUID target, DayTimes times, Instant due, Instant from) {}

    /** How a notification ended, and what that says of its target. */
    enum Outcome {
        DELIVERED("delivered"),
        OVER("over"),
        FAILED("failed");

        private final String wire;

        Outcome(String wire) {
            this.wire = wire;
        }
    }

    /** Since when a row waits for those that it waits for now: an approval that others may decide, too, is told of once more. */
    private static final String SINCE = "greatest(i.opened_at, (i.details #>> '{deciders,escalated_at}')::timestamptz)";

    /**
     * In the transaction that opens the rows: one notification for each of them and each target that hears of its kind, unless it has one since
     * the row waits. One transaction at a time writes the inbox, so nothing comes between the look and the insert.
     */
    private static final String ENQUEUE = """
            WITH fresh AS (
                SELECT t.id AS target, i.id AS inbox_id, %1$s AS opened_at, i.kind, i.workspace_id, i.words,
                    row_number() OVER (PARTITION BY t.id ORDER BY i.position) AS nth
                FROM inbox AS i JOIN notification_targets AS t ON t.enabled AND (t.kinds IS NULL OR i.kind = ANY (t.kinds))
                WHERE i.id = ANY ($1::uuid[]) AND i.resolved_at IS NULL
                    AND NOT EXISTS (SELECT 1 FROM notifications AS told
                        WHERE told.target = t.id AND told.inbox_id = i.id AND told.opened_at = %1$s)
            ), counted AS (
                UPDATE notification_targets AS t SET last_n = last_n + sums.many, due_at = coalesce(t.due_at, now())
                FROM (SELECT target, count(*) AS many FROM fresh GROUP BY target) AS sums WHERE t.id = sums.target
                RETURNING t.id, t.last_n - sums.many AS before
            )
            INSERT INTO notifications (target, n, event, inbox_id, opened_at, body)
            SELECT fresh.target, counted.before + fresh.nth, 'waiting', inbox_id, opened_at,
                jsonb_build_object('kind', kind, 'workspace_id', workspace_id, 'text', words)
            FROM fresh JOIN counted ON counted.id = fresh.target
            """.formatted(SINCE);

    /** Safe under races because rows that others are claiming are passed over. An attempt counts when it begins. */
    private static final String CLAIM = """
            WITH due AS (
                SELECT id FROM notification_targets WHERE due_at <= now() AND enabled ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
            ), taken AS (
                UPDATE notification_targets AS t SET claim = claim + 1, attempts = attempts + 1,
                    due_at = now() + $2::bigint * interval '1 ms', held_until = now() + $2::bigint * interval '1 ms'
                FROM due WHERE t.id = due.id RETURNING t.*
            )
            SELECT taken.*, coalesce(head.n, taken.last_n) AS n, head.event, head.body::text AS body, head.inbox_id, head.created_at AS told_at,
                coalesce(i.details::text, '{}') AS details,
                head.inbox_id IS NOT NULL
                    AND (i.id IS NULL OR i.resolved_at IS NOT NULL OR %1$s <> head.opened_at) AS over
            FROM taken
                LEFT JOIN LATERAL (SELECT * FROM notifications WHERE target = taken.id AND ended_at IS NULL ORDER BY n LIMIT 1) AS head ON true
                LEFT JOIN inbox AS i ON i.id = head.inbox_id
            """.formatted(SINCE);

    private static final String END = """
            WITH held AS (
                UPDATE notification_targets SET claim = claim + 1, held_until = NULL, attempts = 0, due_at = CASE WHEN last_n > $3 THEN now() END,
                    delivered_at = CASE WHEN $4 = 'delivered' THEN now() ELSE delivered_at END,
                    failing_since = CASE WHEN $4 = 'delivered' THEN NULL WHEN $5::text IS NULL THEN failing_since
                        ELSE coalesce(failing_since, now()) END,
                    last_error = CASE WHEN $4 = 'delivered' THEN NULL ELSE coalesce($5, last_error) END
                WHERE id = $1 AND claim = $2 RETURNING id
            )
            UPDATE notifications SET ended_at = now(), outcome = $4 FROM held WHERE target = held.id AND n = $3 AND ended_at IS NULL
            """;

    private static final String REST = """
            UPDATE notification_targets SET claim = claim + 1, held_until = NULL, attempts = 0, due_at = CASE WHEN last_n > $3 THEN now() END
            WHERE id = $1 AND claim = $2
            """;

    private static final String AGAIN = """
            UPDATE notification_targets SET claim = claim + 1, held_until = NULL, due_at = now() + $3::bigint * interval '1 ms',
                failing_since = coalesce(failing_since, now()), last_error = $4
            WHERE id = $1 AND claim = $2
            """;

    private static final String LATER = """
            UPDATE notification_targets SET claim = claim + 1, held_until = NULL, attempts = greatest(0, attempts - 1), due_at = $3 WHERE id = $1 AND claim = $2
            """;

    private static final String DIGESTS = """
            SELECT * FROM notification_targets WHERE enabled AND digest_due <= $1 ORDER BY digest_due LIMIT 100
            """;

    /** Of two replicas one finds the time that both read. */
    private static final String PUT_DIGEST = """
            WITH held AS (
                UPDATE notification_targets SET digest_due = $3, digest_from = $4, last_n = last_n + 1, due_at = coalesce(due_at, now())
                WHERE id = $1 AND digest_due = $2 RETURNING id, last_n
            )
            INSERT INTO notifications (target, n, event, body) SELECT id, last_n, 'digest', $5 FROM held
            """;

    private static final String WAITING = "SELECT count(*)::integer FROM inbox WHERE resolved_at IS NULL";

    private static final String FORGET = """
            DELETE FROM notifications WHERE (target, n) IN (
                SELECT target, n FROM notifications WHERE ended_at < now() - $1::bigint * interval '1 ms' ORDER BY ended_at LIMIT $2
                FOR UPDATE SKIP LOCKED)
            """;

    /** To be called in the transaction that opened these rows of the inbox. */
    public static Future<Void> enqueue(Sql transaction, Collection<UUID> inboxIds) {
        return transaction.run(ENQUEUE, Tuple.of(inboxIds.toArray(UUID[]::new)));
    }

    Future<List<Due>> claim(int max, Duration lease) {
        return database.list(CLAIM, Tuple.of(max, lease.toMillis()), PgNotificationOutbox::toDue);
    }

    /** False when the claim is not held any more. */
    Future<Boolean> end(Due due, Outcome outcome) {
        return end(due, outcome, null);
    }

    /** It will not take it, and why. */
    Future<Boolean> givenUp(Due due, String why) {
        return end(due, Outcome.FAILED, why);
    }

    private Future<Boolean> end(Due due, Outcome outcome, @Nullable String why) {
        return database.changes(END, Tuple.of(due.target.id(), due.claim, due.n, outcome.wire, why));
    }

    /** There was nothing to tell it. */
    Future<Boolean> rest(Due due) {
        return database.changes(REST, Tuple.of(due.target.id(), due.claim, due.n));
    }

    /** It did not take it. */
    Future<Boolean> again(Due due, Duration pause, String why) {
        return database.changes(AGAIN, Tuple.of(due.target.id(), due.claim, pause.toMillis(), why));
    }

    /** It was not tried. */
    Future<Boolean> later(Due due, Instant until) {
        return database.changes(LATER, Tuple.of(due.target.id(), due.claim, until.atOffset(ZoneOffset.UTC)));
    }

    Future<List<DigestDue>> digests(Instant now) {
        return database.list(DIGESTS, Tuple.of(now.atOffset(ZoneOffset.UTC)), PgNotificationOutbox::toDigest);
    }

    /** @param next null where it wants no more */
    Future<Boolean> putDigest(DigestDue due, @Nullable Instant next, Instant until, String text) {
        return database.changes(
                PUT_DIGEST,
                Tuple.of(
                        due.target,
                        due.due.atOffset(ZoneOffset.UTC),
                        next == null ? null : next.atOffset(ZoneOffset.UTC),
                        until.atOffset(ZoneOffset.UTC),
                        new JsonObject().put("text", text)));
    }

    /** How many things wait for a person. */
    Future<Integer> waiting() {
        return database.get(WAITING, Tuple.tuple(), row -> row.getInteger(0));
    }

    Future<Integer> forget(Duration age, int max) {
        return database.update(FORGET, Tuple.of(age.toMillis(), max));
    }

    private static DigestDue toDigest(Row row) {
        return new DigestDue(
                row.getUUID("id"),
                new DayTimes(
                        row.getLocalTime("quiet_from"),
                        row.getLocalTime("quiet_to"),
                        row.getLocalTime("digest_at"),
                        ZoneId.of(row.getString("zone"))),
                row.getOffsetDateTime("digest_due").toInstant(),
                row.getOffsetDateTime("digest_from").toInstant());
    }

    private static Due toDue(Row row) {
        @Nullable String body = row.getString("body");
        @Nullable Instant toldAt = PgTargetStore.instant(row, "told_at");
        return new Due(
                PgTargetStore.toTarget(row),
                row.getLong("claim"),
                row.getInteger("attempts"),
                row.getLong("n"),
                row.getString("event"),
                body == null ? null : Json.stored(body),
                row.getUUID("inbox_id"),
                Json.stored(row.getString("details")),
                toldAt == null ? Instant.EPOCH : toldAt,
                row.getBoolean("over"));
    }
}
