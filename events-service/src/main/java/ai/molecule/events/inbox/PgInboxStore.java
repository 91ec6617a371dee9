package ai.molecule.events.inbox;

import ai.molecule.common.db.Database;
import ai.molecule.common.db.Sql;
import ai.molecule.common.events.Event;
import ai.molecule.common.events.EventLog;
import ai.molecule.common.json.Json;
import ai.molecule.events.notifications.PgNotificationOutbox;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The tables {@code inbox} and {@code inbox_reached} (db/events/V025__inbox.sql). One transaction at a time writes. */
public record PgInboxStore(Database database) {

    /**
     * How far the inbox is.
     *
     * @param seq of the event log
     * @param position of the inbox
     * @param forgotten up to which position resolved rows were deleted
     */
    record Reached(long seq, long position, long forgotten) {}

    /**
     * What one step did.
     *
     * @param more whether the log goes on behind it
     */
    record Step(boolean changed, boolean more) {}

    /** Rows of the log that one step looks at. */
    private static final int WINDOW = 500;

    private static final String BEHIND = """
            SELECT (SELECT seq FROM inbox_reached) < coalesce((SELECT max(seq) FROM log.events), 0)
                OR EXISTS (SELECT 1 FROM inbox WHERE resolved_at IS NULL AND expires_at < now())
            """;

    private static final String REACHED = "SELECT seq, position, forgotten FROM inbox_reached";

    /** Whoever holds this row writes; what was deleted from the log before it was read is passed over. */
    private static final String LOCK = """
            SELECT greatest(seq, (SELECT to_seq FROM log.pruned)) AS seq, position, forgotten FROM inbox_reached FOR UPDATE
            """;

    private static final String LAST = "SELECT coalesce(max(seq), 0) FROM log.events";

    private static final String READ = """
            SELECT event_type, workspace_id, payload::text AS payload, created_at FROM log.events
            WHERE seq > $1 AND seq <= $2 AND event_type = ANY ($3) ORDER BY seq
            """;

    private static final String OPEN = """
            INSERT INTO inbox (id, position, kind, workspace_id, words, details, opened_at, expires_at)
            SELECT id, position, kind, workspace_id, words, details::jsonb, opened_at, expires_at
            FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::uuid[], $5::text[], $6::text[], $7::timestamptz[], $8::timestamptz[])
                AS row (id, position, kind, workspace_id, words, details, opened_at, expires_at)
            ON CONFLICT (id) DO UPDATE SET position = excluded.position, words = excluded.words, details = excluded.details,
                opened_at = CASE WHEN inbox.resolved_at IS NULL THEN inbox.opened_at ELSE excluded.opened_at END,
                expires_at = excluded.expires_at, resolved_at = NULL
            """;

    private static final String RESOLVE = """
            WITH waiting AS (
                SELECT inbox.id, ended.at, row_number() OVER (ORDER BY inbox.position) AS nth
                FROM inbox JOIN unnest($1::uuid[], $2::timestamptz[]) AS ended (id, at) ON ended.id = inbox.id
                WHERE resolved_at IS NULL
            )
            UPDATE inbox SET resolved_at = waiting.at, position = $3 + waiting.nth FROM waiting WHERE inbox.id = waiting.id
            """;

    private static final String RESOLVE_ALL = """
            WITH waiting AS (
                SELECT inbox.id, ended.at, row_number() OVER (ORDER BY inbox.position) AS nth
                FROM inbox JOIN unnest($1::uuid[], $2::timestamptz[]) AS ended (workspace_id, at) USING (workspace_id)
                WHERE resolved_at IS NULL
            )
            UPDATE inbox SET resolved_at = waiting.at, position = $3 + waiting.nth FROM waiting WHERE inbox.id = waiting.id
            """;

    private static final String EXPIRE = """
            WITH over AS (
                SELECT id, row_number() OVER (ORDER BY expires_at, id) AS nth FROM (
                    SELECT id, expires_at FROM inbox WHERE resolved_at IS NULL AND expires_at < now()
                    ORDER BY expires_at, id LIMIT 500) AS due
            )
            UPDATE inbox SET resolved_at = now(), position = $1 + over.nth FROM over WHERE inbox.id = over.id
            """;

    private static final String MOVE = "UPDATE inbox_reached SET seq = $1, position = $2";

    private static final String COLUMNS =
            "id, position, kind, workspace_id, words, details::text AS details, opened_at, expires_at, resolved_at";

    private static final String WAITING = """
            SELECT %s FROM inbox WHERE resolved_at IS NULL AND position > $1 AND ($3::uuid[] IS NULL OR workspace_id = ANY ($3))
            ORDER BY position LIMIT $2
            """.formatted(COLUMNS);

    private static final String CHANGED = """
            SELECT %s FROM inbox WHERE position > $1 AND ($3::uuid[] IS NULL OR workspace_id = ANY ($3)) ORDER BY position LIMIT $2
            """.formatted(COLUMNS);

    private static final String FIND = "SELECT %s FROM inbox WHERE id = $1".formatted(COLUMNS);

    private static final String COUNT =
            "SELECT kind, count(*) AS waiting FROM inbox WHERE resolved_at IS NULL AND ($1::uuid[] IS NULL OR workspace_id = ANY ($1)) GROUP BY kind";

    /** Safe under races because the position moves with what is deleted. */
    private static final String FORGET = """
            WITH gone AS (
                DELETE FROM inbox WHERE id IN (
                    SELECT id FROM inbox WHERE resolved_at < now() - $1::bigint * interval '1 ms' ORDER BY resolved_at LIMIT $2
                    FOR UPDATE SKIP LOCKED)
                RETURNING position
            ), moved AS (
                UPDATE inbox_reached SET forgotten = greatest(forgotten, (SELECT max(position) FROM gone))
                WHERE EXISTS (SELECT 1 FROM gone)
            )
            SELECT count(*)::integer FROM gone
            """;

    /** Whether there is anything to apply: cheap, and takes no lock. */
    Future<Boolean> isBehind() {
        return database.get(BEHIND, Tuple.tuple(), row -> row.getBoolean(0));
    }

    Future<Reached> reached() {
        return database.get(REACHED, Tuple.tuple(), PgInboxStore::toReached);
    }

    /** Applies the next events of the log, with the position they reach, in one transaction. */
    Future<Step> step() {
        return database.transaction(transaction -> transaction
                .get(LOCK, Tuple.tuple(), PgInboxStore::toReached)
                .compose(from -> transaction
                        .get(LAST, Tuple.tuple(), row -> row.getLong(0))
                        .compose(last -> {
                            long upTo = Math.min(last, from.seq + WINDOW);
                            return transaction
                                    .list(
                                            READ,
                                            Tuple.of(from.seq, upTo, InboxSource.TYPES.toArray(String[]::new)),
                                            PgInboxStore::toEvent)
                                    .compose(events -> apply(transaction, InboxChanges.of(events), from.position))
                                    .compose(position -> transaction
                                            .run(MOVE, Tuple.of(Math.max(upTo, from.seq), position))
                                            .map(new Step(position > from.position, upTo < last)));
                        })));
    }

    private static Future<Long> apply(Sql transaction, InboxChanges changes, long position) {
        return resolve(transaction, RESOLVE_ALL, changes.goneAt(), position)
                .compose(reached -> open(transaction, changes.opened(), reached))
                .compose(reached -> resolve(transaction, RESOLVE, changes.resolved(), reached))
                .compose(
                        reached -> transaction.update(EXPIRE, Tuple.of(reached)).map(expired -> reached + expired));
    }

    private static Future<Long> open(Sql transaction, Map<UUID, InboxChanges.Opened> opened, long position) {
        if (opened.isEmpty()) {
            return Future.succeededFuture(position);
        }
        var ids = List.copyOf(opened.keySet());
        var rows = List.copyOf(opened.values());
        var positions = new Long[rows.size()];
        for (int i = 0; i < positions.length; i++) {
            positions[i] = position + i + 1;
        }
        return transaction
                .run(
                        OPEN,
                        Tuple.tuple()
                                .addValue(ids.toArray(UUID[]::new))
                                .addValue(positions)
                                .addValue(Sql.column(rows, row -> row.source().kind(), String[]::new))
                                .addValue(Sql.column(rows, InboxChanges.Opened::workspaceId, UUID[]::new))
                                .addValue(Sql.column(rows, InboxChanges.Opened::words, String[]::new))
                                .addValue(Sql.column(rows, row -> Json.text(row.details()), String[]::new))
                                .addValue(Sql.column(
                                        rows, row -> row.at().atOffset(ZoneOffset.UTC), OffsetDateTime[]::new))
                                .addValue(Sql.column(
                                        rows,
                                        row -> row.expiresAt() == null
                                                ? null
                                                : row.expiresAt().atOffset(ZoneOffset.UTC),
                                        OffsetDateTime[]::new)))
                .compose(stored -> PgNotificationOutbox.enqueue(transaction, ids))
                .map(position + rows.size());
    }

    private static Future<Long> resolve(Sql transaction, String statement, Map<UUID, Instant> ended, long position) {
        if (ended.isEmpty()) {
            return Future.succeededFuture(position);
        }
        return transaction
                .update(
                        statement,
                        Tuple.tuple()
                                .addValue(ended.keySet().toArray(UUID[]::new))
                                .addValue(Sql.column(
                                        ended.values(), at -> at.atOffset(ZoneOffset.UTC), OffsetDateTime[]::new))
                                .addValue(position))
                .map(resolved -> position + resolved);
    }

    /** What waits, in the order of the last change. */
    Future<List<InboxRow>> waiting(long after, int limit, @Nullable Set<UUID> within) {
        return database.list(WAITING, Tuple.of(after, limit, array(within)), PgInboxStore::toRow);
    }

    /** What changed since, resolved rows among it, in the order of the changes. */
    Future<List<InboxRow>> changed(long since, int limit, @Nullable Set<UUID> within) {
        return database.list(CHANGED, Tuple.of(since, limit, array(within)), PgInboxStore::toRow);
    }

    Future<Optional<InboxRow>> find(UUID id) {
        return database.find(FIND, Tuple.of(id), PgInboxStore::toRow);
    }

    /** How many wait, by kind. */
    Future<Map<String, Integer>> count(@Nullable Set<UUID> within) {
        return database.list(
                        COUNT,
                        Tuple.of(array(within)),
                        row -> Map.entry(
                                row.getString("kind"), row.getLong("waiting").intValue()))
                .map(counts -> counts.stream().collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
    }

    private static UUID @Nullable [] array(@Nullable Set<UUID> within) {
        return within == null ? null : within.toArray(UUID[]::new);
    }

    /** Records that a person needs a row no more; it is resolved when the log is applied. */
    Future<Void> dismiss(InboxRow row, String by) {
        return EventLog.append(
                database,
                InboxSource.DISMISSED,
                row.workspaceId(),
                Json.object()
                        .put("id", row.id().toString())
                        .put("kind", row.kind())
                        .put("dismissed_with", by));
    }

    Future<Integer> forget(Duration age, int max) {
        return database.get(FORGET, Tuple.of(age.toMillis(), max), row -> row.getInteger(0));
    }

    private static Reached toReached(Row row) {
        return new Reached(row.getLong("seq"), row.getLong("position"), row.getLong("forgotten"));
    }

    private static Event toEvent(Row row) {
        return new Event(
                null,
                row.getString("event_type"),
                row.getUUID("workspace_id"),
                row.getOffsetDateTime("created_at").toInstant(),
                Json.stored(row.getString("payload")) instanceof ObjectNode object ? object : Json.object());
    }

    private static InboxRow toRow(Row row) {
        return new InboxRow(
                row.getUUID("id"),
                row.getLong("position"),
                row.getString("kind"),
                row.getUUID("workspace_id"),
                row.getString("words"),
                Json.stored(row.getString("details")),
                row.getOffsetDateTime("opened_at").toInstant(),
                instant(row.getOffsetDateTime("expires_at")),
                row.getOffsetDateTime("resolved_at") != null);
    }

    private static @Nullable Instant instant(@Nullable OffsetDateTime time) {
        return time == null ? null : time.toInstant();
    }
}
