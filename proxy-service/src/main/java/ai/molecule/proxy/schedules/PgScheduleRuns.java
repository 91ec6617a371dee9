package ai.molecule.proxy.schedules;

import ai.molecule.common.db.Database;
import ai.molecule.common.db.Sql;
import ai.molecule.common.json.Json;
import ai.molecule.common.schedules.OverlapPolicy;
import ai.molecule.common.tracing.TraceHeaders;
import ai.molecule.proxy.a2a.calls.DeferredMessage;
import ai.molecule.proxy.activity.RowIds;
import ai.molecule.proxy.queue.PgQueueEntries;
import ai.molecule.proxy.schedules.ScheduleStore.ReplacedMessage;
import ai.molecule.proxy.schedules.TickPlan.Left;
import ai.molecule.proxy.schedules.TickPlan.Run;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Runs of schedules on the table {@code schedule_runs} (db/proxy/V060__schedules.sql). Whoever begins one holds the schedule's row in the same
 * transaction; so does whoever ends one, before the run's.
 */
final class PgScheduleRuns {

    /** Runs of one schedule that wait for their turn. */
    private static final int WAITING_MAX = 10;

    private static final String OPEN = """
            SELECT id, tick_at, message_id, queue_id FROM schedule_runs WHERE schedule_id = $1 AND ended_at IS NULL ORDER BY tick_at
            """;

    /** Of a tick that was fired before there is one. */
    private static final String BEGIN = """
            INSERT INTO schedule_runs (id, schedule_id, workspace_id, tick_at, status, reason, message_id, started_at)
            VALUES ($1, $2, $3, $4, 'queued', $5, $6, now())
            ON CONFLICT (schedule_id, tick_at) DO NOTHING
            """;

    private static final String LEAVE = """
            INSERT INTO schedule_runs (id, schedule_id, workspace_id, tick_at, status, reason, started_at, ended_at)
            SELECT id, $1, $2, tick_at, status, reason, now(), now()
            FROM unnest($3::uuid[], $4::timestamptz[], $5::text[], $6::text[]) AS left_out (id, tick_at, status, reason)
            ON CONFLICT (schedule_id, tick_at) DO NOTHING
            """;

    private static final String SKIPPED = """
            SELECT log.append('CRON_SKIPPED', $1, jsonb_build_object('schedule_id', $2::uuid, 'schedule_name', $3::text,
                'reason', $4::text, 'status', $5::text, 'ticks', $6::integer, 'tick_at', $7::text))
            """;

    private static final String QUEUED = "UPDATE schedule_runs SET queue_id = $2 WHERE id = $1";

    private static final String NO_ROOM =
            "UPDATE schedule_runs SET status = 'skipped', reason = $2, ended_at = now() WHERE id = $1";

    private static final String BEGUN = """
            UPDATE schedules SET last_run_at = now(), run_count = run_count + 1, last_status = 'queued', last_error = '' WHERE id = $1
            """;

    private static final String LEFT_OUT = "UPDATE schedules SET last_status = $2, last_error = $3 WHERE id = $1";

    private static final String REPLACED = """
            UPDATE schedule_runs SET status = 'skipped', reason = $2, ended_at = now() WHERE id = $1 AND ended_at IS NULL
            """;

    /** Safe under races because the schedule's row is held first, as by whoever begins a run. */
    private static final String END = """
            WITH held AS MATERIALIZED (
                SELECT id, name FROM schedules WHERE id = (SELECT schedule_id FROM schedule_runs WHERE queue_id = $1 AND ended_at IS NULL)
                FOR UPDATE
            ), ended AS (
                UPDATE schedule_runs AS run SET status = $2, reason = coalesce($3, run.reason), ended_at = now()
                FROM held WHERE run.schedule_id = held.id AND run.queue_id = $1 AND run.ended_at IS NULL
                RETURNING run.schedule_id, run.workspace_id, run.tick_at, held.name
            ), told AS (
                UPDATE schedules SET last_status = $2, last_error = coalesce($3, '') FROM ended WHERE schedules.id = ended.schedule_id
            )
            SELECT log.append('CRON_EXECUTED', workspace_id, jsonb_build_object('schedule_id', schedule_id, 'schedule_name', name,
                'status', $2::text, 'tick_at', to_char(tick_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')))
            FROM ended
            """;

    /** Safe under races because the run is taken from its first message to the second in one step. */
    private static final String SEND_AGAIN = """
            UPDATE schedule_runs AS run SET sent_again = true
            FROM schedules WHERE schedules.id = run.schedule_id AND run.queue_id = $1 AND run.ended_at IS NULL AND NOT run.sent_again
            RETURNING run.id AS run_id, run.tick_at, run.message_id, run.reason, schedules.*
            """;

    /** What the queue ended without a word: handed to an agent that fetches, or told by one that died of it. */
    private static final String UNTOLD = """
            SELECT item.id, item.status, item.last_error FROM schedule_runs AS run JOIN a2a_queue AS item ON item.id = run.queue_id
            WHERE run.ended_at IS NULL AND item.ended_at < now() - $1::bigint * interval '1 ms' LIMIT $2
            """;

    private static final String HISTORY = """
            SELECT run.id, tick_at, status, reason, message_id, started_at, ended_at FROM schedule_runs AS run
            WHERE schedule_id = $1 AND ($2::timestamptz IS NULL OR tick_at < $2) ORDER BY tick_at DESC LIMIT $3
            """;

    private static final String PRUNE = """
            DELETE FROM schedule_runs WHERE id IN (SELECT id FROM schedule_runs
                WHERE started_at < now() - $1::bigint * interval '1 ms' AND ended_at IS NOT NULL ORDER BY started_at LIMIT $2
                FOR UPDATE SKIP LOCKED)
            """;

    private record Open(
            UUID id,
            Instant tick,
            String messageId,
            @Nullable UUID queueId) {}

    /** @param reason why it did not run, or failed, or ran late; null for none */
    record Past(
            UUID id,
            Instant tick,
            String status,
            @Nullable String reason,
            @Nullable String messageId,
            Instant startedAt,
            @Nullable Instant endedAt) {}

    /** @param status of the queue */
    record Untold(UUID queueId, String status, @Nullable String error) {}

    private final Database database;
    private final PgQueueEntries queue;
    private final RowIds ids;

    PgScheduleRuns(Database database, PgQueueEntries queue, RowIds ids) {
        this.database = database;
        this.queue = queue;
        this.ids = ids;
    }

    /** In a transaction that holds the schedule. */
    Future<Void> leave(Sql transaction, Schedule schedule, List<Left> left) {
        if (left.isEmpty()) {
            return Future.succeededFuture();
        }
        var parameters = Tuple.of(schedule.id(), schedule.workspaceId())
                .addArrayOfUUID(left.stream().map(each -> ids.next()).toArray(UUID[]::new))
                .addArrayOfOffsetDateTime(
                        left.stream().map(each -> at(each.tick())).toArray(OffsetDateTime[]::new))
                .addArrayOfString(left.stream().map(PgScheduleRuns::status).toArray(String[]::new))
                .addArrayOfString(left.stream().map(Left::reason).toArray(String[]::new));
        var newest = left.getLast();
        Future<Void> done = transaction
                .run(LEAVE, parameters)
                .compose(kept -> transaction.run(LEFT_OUT, Tuple.of(schedule.id(), status(newest), newest.reason())));
        for (var alike : left.stream()
                .collect(Collectors.groupingBy(PgScheduleRuns::status))
                .values()) {
            done = done.compose(kept -> tell(transaction, schedule, alike));
        }
        return done;
    }

    /** One event for those of a kind, with the reason of the newest. */
    private static Future<Void> tell(Sql transaction, Schedule schedule, Collection<Left> alike) {
        var newest = List.copyOf(alike).getLast();
        return transaction.run(
                SKIPPED,
                Tuple.of(
                        schedule.workspaceId(),
                        schedule.id(),
                        schedule.spec().name(),
                        newest.reason(),
                        status(newest),
                        alike.size(),
                        Json.time(newest.tick())));
    }

    private static String status(Left left) {
        return left.missed() ? "missed" : "skipped";
    }

    /** In a transaction that holds the schedule. Answers what the run took the place of, and is at its agent. */
    Future<List<ReplacedMessage>> begin(Sql transaction, Schedule schedule, Run run) {
        return transaction
                .list(OPEN, Tuple.of(schedule.id()), PgScheduleRuns::open)
                .compose(open -> {
                    if (open.stream().anyMatch(each -> each.tick().equals(run.tick()))) {
                        return Future.succeededFuture(List.<ReplacedMessage>of()); // fired before
                    }
                    var overlap = schedule.spec().overlap();
                    if (!open.isEmpty() && overlap == OverlapPolicy.SKIP) {
                        return leave(
                                transaction,
                                schedule,
                                run,
                                "the run of %s goes on"
                                        .formatted(open.getFirst().tick()));
                    }
                    if (open.size() >= WAITING_MAX && overlap == OverlapPolicy.QUEUE) {
                        return leave(transaction, schedule, run, "%d runs wait already".formatted(WAITING_MAX));
                    }
                    var replaced = overlap == OverlapPolicy.REPLACE
                            ? replace(transaction, schedule, open, run)
                            : Future.succeededFuture(List.<ReplacedMessage>of());
                    return replaced.compose(
                            stopped -> send(transaction, schedule, run).map(stopped));
                });
    }

    private Future<List<ReplacedMessage>> leave(Sql transaction, Schedule schedule, Run run, String why) {
        return leave(transaction, schedule, List.of(new Left(run.tick(), false, why)))
                .map(List.of());
    }

    private Future<List<ReplacedMessage>> replace(Sql transaction, Schedule schedule, List<Open> open, Run by) {
        List<ReplacedMessage> atAgent = new ArrayList<>();
        Future<Void> done = Future.succeededFuture();
        for (var one : open) {
            done = done.compose(next -> transaction.run(
                            REPLACED, Tuple.of(one.id(), "the run of %s took its place".formatted(by.tick()))))
                    .compose(ended ->
                            queue.withdraw(transaction.client(), schedule.workspaceId(), null, one.messageId()))
                    .map(withdrawn -> {
                        if (!withdrawn) {
                            atAgent.add(new ReplacedMessage(schedule.workspaceId(), one.messageId()));
                        }
                        return null;
                    });
        }
        return done.map(atAgent);
    }

    private Future<Void> send(Sql transaction, Schedule schedule, Run run) {
        var id = ids.next();
        String messageId = messageId(schedule.id(), run.tick());
        var parameters = Tuple.of(id, schedule.id(), schedule.workspaceId(), at(run.tick()), run.late(), messageId);
        return transaction
                .update(BEGIN, parameters)
                .compose(begun -> begun == 0
                        ? Future.succeededFuture() // fired, and over
                        : enqueue(transaction, schedule, run, id, messageId));
    }

    private Future<Void> enqueue(Sql transaction, Schedule schedule, Run run, UUID id, String messageId) {
        return queue.enqueueAtOnce(
                        transaction.client(), message(schedule, run, id, messageId), "message/send", messageId)
                .compose(waiting -> {
                    if (waiting.isPresent()) {
                        return transaction
                                .run(QUEUED, Tuple.of(id, waiting.get().id()))
                                .compose(queued -> transaction.run(BEGUN, Tuple.of(schedule.id())));
                    }
                    var full = new Left(run.tick(), false, "too many messages wait for the agent");
                    return transaction
                            .run(NO_ROOM, Tuple.of(id, full.reason()))
                            .compose(noted ->
                                    transaction.run(LEFT_OUT, Tuple.of(schedule.id(), "skipped", full.reason())))
                            .compose(noted -> tell(transaction, schedule, List.of(full)));
                });
    }

    /** The end of the run whose message this was; nothing for any other message. */
    Future<Void> end(UUID queueId, String status, @Nullable String reason) {
        return database.run(END, Tuple.of(queueId, status, reason == null ? null : reason.replace('\0', '\ufffd')));
    }

    /** The same message once more; false when that was done before. */
    Future<Boolean> sendAgain(UUID queueId) {
        return database.transaction(transaction -> transaction
                .find(SEND_AGAIN, Tuple.of(queueId), row -> row)
                .compose(found -> {
                    if (found.isEmpty()) {
                        return Future.succeededFuture(false);
                    }
                    var row = found.get();
                    var run = new Run(row.getOffsetDateTime("tick_at").toInstant(), row.getString("reason"));
                    return enqueue(
                                    transaction,
                                    PgSchedules.schedule(row),
                                    run,
                                    row.getUUID("run_id"),
                                    row.getString("message_id"))
                            .map(true);
                }));
    }

    Future<List<Untold>> untold(Duration since, int max) {
        return database.list(
                UNTOLD,
                Tuple.of(since.toMillis(), max),
                row -> new Untold(row.getUUID("id"), row.getString("status"), row.getString("last_error")));
    }

    /** Newest ticks first. */
    Future<List<Past>> history(UUID schedule, @Nullable Instant before, int max) {
        return database.list(
                HISTORY,
                Tuple.of(schedule, before == null ? null : at(before), max),
                row -> new Past(
                        row.getUUID("id"),
                        row.getOffsetDateTime("tick_at").toInstant(),
                        row.getString("status"),
                        row.getString("reason"),
                        row.getString("message_id"),
                        row.getOffsetDateTime("started_at").toInstant(),
                        PgSchedules.instant(row, "ended_at")));
    }

    Future<Integer> prune(Duration age, int max) {
        return database.update(PRUNE, Tuple.of(age.toMillis(), max));
    }

    /** Eight digits of the schedule and the second of the tick: the same from whoever sends it, and no other tick's. */
    static String messageId(UUID schedule, Instant tick) {
        return "cron-%s-%08x".formatted(schedule.toString().substring(0, 8), tick.getEpochSecond());
    }

    private static DeferredMessage message(Schedule schedule, Run run, UUID id, String messageId) {
        var message = Json.object().put("kind", "message").put("role", "user").put("messageId", messageId);
        message.putArray("parts")
                .addObject()
                .put("kind", "text")
                .put("text", schedule.spec().prompt());
        message.putObject("metadata")
                .put("schedule_id", schedule.id().toString())
                .put("schedule_name", schedule.spec().name())
                .put("tick_at", run.tick().toString());
        var body = Json.object().put("jsonrpc", "2.0").put("id", id.toString()).put("method", "message/send");
        body.putObject("params").set("message", message);
        String trace = id.toString().replace("-", ""); // so that all that comes of it is told by it
        return new DeferredMessage(
                null,
                schedule.workspaceId(),
                null,
                Json.bytes(body),
                Map.of(TraceHeaders.PARENT, "00-%s-%s-00".formatted(trace, trace.substring(16))));
    }

    private static Open open(Row row) {
        return new Open(
                row.getUUID("id"),
                row.getOffsetDateTime("tick_at").toInstant(),
                row.getString("message_id"),
                row.getUUID("queue_id"));
    }

    static OffsetDateTime at(Instant moment) {
        return moment.atOffset(ZoneOffset.UTC);
    }
}
