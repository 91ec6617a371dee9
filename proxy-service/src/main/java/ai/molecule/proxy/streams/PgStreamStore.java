package ai.molecule.proxy.streams;

import ai.molecule.common.db.Database;
import ai.molecule.proxy.protocol.Sighting;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** {@link StreamStore} on the tables {@code proxies}, {@code streams} and {@code stream_events} (db/proxy/V002__streams.sql). */
public final class PgStreamStore implements StreamStore {

    private static final String RENEW = """
            INSERT INTO proxies (id, seen_at) VALUES ($1, now()) ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at
            RETURNING seen_at
            """;

    private static final String RESIGN = "DELETE FROM proxies WHERE id = $1";

    /** Repeated after an unknown outcome it adds nothing. */
    private static final String BEGIN = """
            INSERT INTO streams (id, owner, workspace_id, caller_id, version, method, rpc_id, request, duration_ms)
            SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[],
                $8::bytea[], $9::int[])
            ON CONFLICT DO NOTHING
            """;

    /**
     * The stream's row is locked before its owner is looked at, in id order, so that an adoption comes wholly before (then
     * nothing is added) or wholly after. One owner adds in order, so a reader behind a position misses none.
     */
    private static final String APPEND = """
            WITH mine AS MATERIALIZED (
                SELECT id FROM streams WHERE id = ANY ($2::uuid[]) AND owner = $1 ORDER BY id FOR NO KEY UPDATE
            ), added AS (
                INSERT INTO stream_events (stream_id, n, body)
                SELECT stream_id, n, body FROM unnest($3::uuid[], $4::int[], $5::bytea[]) AS fresh (stream_id, n, body)
                JOIN mine ON mine.id = stream_id
                ON CONFLICT DO NOTHING
            )
            UPDATE streams AS stream
            SET last_n = greatest(stream.last_n, fresh.last_n),
                bytes = stream.bytes + CASE WHEN stream.last_n < fresh.last_n THEN fresh.bytes ELSE 0 END,
                task_id = coalesce(fresh.task_id, stream.task_id),
                context_id = coalesce(fresh.context_id, stream.context_id),
                state = coalesce(fresh.state, stream.state),
                status = coalesce(fresh.status, stream.status),
                ended_at = CASE WHEN fresh.ended THEN now() ELSE stream.ended_at END,
                interruption = coalesce(fresh.interruption, stream.interruption)
            FROM unnest($2::uuid[], $6::int[], $7::bigint[], $8::text[], $9::text[], $10::text[], $11::text[],
                $12::boolean[], $13::text[])
                AS fresh (id, last_n, bytes, task_id, context_id, state, status, ended, interruption)
            JOIN mine ON mine.id = fresh.id
            WHERE stream.id = fresh.id
            RETURNING stream.id
            """;

    private static final String WHOLE_HEAD = """
            SELECT id, owner, workspace_id, caller_id, version, method, rpc_id, request, duration_ms, task_id, context_id,
                state, status, canceled, starts, first_n, last_n, ended_at IS NOT NULL AS ended
            FROM streams
            """;

    /** Without the request, which may be a mebibyte: only who adopts a stream needs it. */
    private static final String HEAD = WHOLE_HEAD.replace(" request,", " ''::bytea AS request,");

    private static final String FIND = HEAD + "WHERE id = $1";
    private static final String REQUEST = "SELECT request FROM streams WHERE id = $1";
    private static final String FIND_OF_TASK =
            HEAD + "WHERE workspace_id = $1 AND task_id = $2 ORDER BY opened_at DESC, id DESC LIMIT 1";

    private static final String AFTER = """
            SELECT n, body
            FROM (SELECT n, body, sum(octet_length(body)) OVER (ORDER BY n) - octet_length(body) AS before
                  FROM stream_events WHERE stream_id = $1 AND n > $2 ORDER BY n LIMIT $3) AS page
            WHERE before < 1048576
            ORDER BY n
            """;

    /** A stream that ends at the same time keeps its own end, because the owner only looks at open streams. */
    private static final String CANCELED = """
            UPDATE streams SET canceled = $3 WHERE workspace_id = $1 AND task_id = $2 AND ended_at IS NULL
            """;

    private static final String CANCELED_OF = HEAD + "WHERE owner = $1 AND ended_at IS NULL AND canceled IS NOT NULL";

    /**
     * Rows are locked and those in use skipped, so that two replicas never adopt one stream in turn. An owner without a row has said
     * goodbye; one with a row may live although it was not seen, unless the time to judge that has not run out ($4).
     */
    private static final String ADOPT = """
            WITH orphan AS (
                SELECT id FROM streams
                WHERE ended_at IS NULL AND owner <> $1
                  AND NOT EXISTS (SELECT 1 FROM proxies WHERE proxies.id = owner
                      AND (seen_at > now() - $2 * interval '1 millisecond'
                          OR coalesce(now() >= $4::timestamptz, true)))
                ORDER BY opened_at LIMIT $3
                FOR NO KEY UPDATE SKIP LOCKED
            )
            UPDATE streams AS stream SET owner = $1, starts = starts || (last_n + 1)
            FROM orphan WHERE stream.id = orphan.id
            RETURNING stream.id, owner, workspace_id, caller_id, version, method, rpc_id, request, duration_ms, task_id,
                context_id, state, status, canceled, starts, first_n, last_n, false AS ended
            """;

    /** Adopted streams have more than one epoch. Only the owner asks, and only when none of its adoptions is under way. */
    private static final String STRAYS = WHOLE_HEAD
            + "WHERE owner = $1 AND ended_at IS NULL AND cardinality(starts) > 1 AND id <> ALL ($2::uuid[])"
            + " ORDER BY opened_at LIMIT $3";

    /** Two replicas that forget at the same time skip each other's rows. */
    private static final String FORGET = """
            WITH old AS (
                SELECT id FROM streams WHERE ended_at < now() - $1 * interval '1 millisecond'
                ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED
            ), gone AS (
                DELETE FROM proxies WHERE seen_at < now() - interval '1 hour'
            )
            DELETE FROM streams USING old WHERE streams.id = old.id
            """;

    /**
     * The stream's row is locked, so its owner adds nothing meanwhile; readers see the row and its events change together. Only streams that
     * are open, or ended a moment ago, are looked at, by the indexes of these: the others have not grown since they were. An index of what
     * they hold would have to be written with every event.
     */
    static final String TRIM = """
            WITH grown AS MATERIALIZED (
                SELECT id FROM streams WHERE ended_at IS NULL AND (last_n - first_n >= $1 OR bytes > $2)
                UNION ALL
                SELECT id FROM streams WHERE ended_at > now() - interval '15 minutes' AND (last_n - first_n >= $1 OR bytes > $2)
            ), full_one AS MATERIALIZED (
                SELECT id, last_n FROM streams
                WHERE id = ANY (ARRAY(SELECT id FROM grown LIMIT $3)) AND (last_n - first_n >= $1 OR bytes > $2)
                FOR NO KEY UPDATE SKIP LOCKED
            ), kept AS (
                SELECT stream_id, min(n) AS first_n, max(total) AS bytes
                FROM (SELECT stream_id, n, sum(octet_length(body)) OVER newest AS total, count(*) OVER newest AS place
                      FROM stream_events JOIN full_one ON full_one.id = stream_id
                      WINDOW newest AS (PARTITION BY stream_id ORDER BY n DESC)) AS counted
                WHERE total <= $2 AND place <= $1
                GROUP BY stream_id
            ), bound AS (
                SELECT id, coalesce(first_n, last_n + 1) AS first_n, coalesce(bytes, 0) AS bytes
                FROM full_one LEFT JOIN kept ON stream_id = id
            ), dropped AS (
                DELETE FROM stream_events USING bound WHERE stream_id = bound.id AND n < bound.first_n
            )
            UPDATE streams AS stream SET first_n = bound.first_n, bytes = bound.bytes
            FROM bound WHERE stream.id = bound.id
            """;

    private final Database database;

    public PgStreamStore(Database database) {
        this.database = database;
    }

    @Override
    public Future<Instant> renew(UUID owner) {
        return database.query(RENEW, Tuple.of(owner))
                .map(rows -> rows.iterator().next().getOffsetDateTime(0).toInstant());
    }

    @Override
    public Future<Void> resign(UUID owner) {
        return database.run(RESIGN, Tuple.of(owner));
    }

    @Override
    public Future<Set<UUID>> append(UUID owner, List<StreamHead> begun, List<Addition> additions) {
        Future<?> before = begun.isEmpty() ? Future.succeededFuture() : database.query(BEGIN, PgStreamRows.of(begun));
        return before.compose(ready -> database.list(APPEND, PgStreamRows.of(owner, additions), row -> row.getUUID(0)))
                .map(Set::copyOf);
    }

    @Override
    public Future<Optional<StreamHead>> find(UUID streamId) {
        return database.find(FIND, Tuple.of(streamId), PgStreamRows::head);
    }

    @Override
    public Future<Optional<StreamHead>> findOfTask(UUID workspaceId, String taskId) {
        return database.find(FIND_OF_TASK, Tuple.of(workspaceId, taskId), PgStreamRows::head);
    }

    @Override
    public Future<List<Entry>> after(UUID streamId, int n, int max) {
        return database.list(AFTER, Tuple.of(streamId, n, max), row -> new Entry(row.getInteger(0), row.getBuffer(1)));
    }

    @Override
    public Future<Optional<byte[]>> request(UUID streamId) {
        return database.find(
                REQUEST, Tuple.of(streamId), row -> row.getBuffer(0).getBytes());
    }

    @Override
    public Future<Void> canceled(UUID workspaceId, Sighting end) {
        return database.run(CANCELED, Tuple.of(workspaceId, end.taskId(), end.status()));
    }

    @Override
    public Future<List<StreamHead>> canceledOf(UUID owner) {
        return database.list(CANCELED_OF, Tuple.of(owner), PgStreamRows::head);
    }

    @Override
    public Future<List<StreamHead>> adopt(UUID owner, Duration lease, Optional<Instant> until, int max) {
        var parameters = Tuple.of(owner, lease.toMillis(), max)
                .addOffsetDateTime(
                        until.map(time -> time.atOffset(ZoneOffset.UTC)).orElse(null));
        return database.list(ADOPT, parameters, PgStreamRows::head);
    }

    @Override
    public Future<List<StreamHead>> strays(UUID owner, Set<UUID> known, int max) {
        return database.list(STRAYS, Tuple.of(owner, known.toArray(UUID[]::new), max), PgStreamRows::head);
    }

    @Override
    public Future<Integer> forget(Duration age, int max) {
        return database.update(FORGET, Tuple.of(age.toMillis(), max));
    }

    @Override
    public Future<Integer> trim(int eventsMax, long bytesMax, int max) {
        return database.update(TRIM, Tuple.of(eventsMax, bytesMax, max));
    }
}
