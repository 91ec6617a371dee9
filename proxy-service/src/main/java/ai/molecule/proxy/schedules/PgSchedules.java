package ai.molecule.proxy.schedules;

import ai.molecule.common.ApiError;
import ai.molecule.common.db.Database;
import ai.molecule.common.db.Postgres;
import ai.molecule.common.db.Sql;
import ai.molecule.common.schedules.MissedPolicy;
import ai.molecule.common.schedules.OverlapPolicy;
import ai.molecule.common.schedules.ScheduleSpec;
import ai.molecule.proxy.activity.RowIds;
import ai.molecule.proxy.leases.Claim;
import ai.molecule.proxy.leases.PgLeases;
import ai.molecule.proxy.queue.PgQueueEntries;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Schedules on the table {@code schedules} (db/proxy/V060__schedules.sql). Ticks are due by the database's clock, the same for all replicas. */
public final class PgSchedules extends PgLeases<DueSchedule> implements ScheduleStore {

    private static final String COLUMNS = """
            id, workspace_id, name, expression, timezone, prompt, enabled, missed, missed_window_seconds, overlap, jitter_seconds, source,
            anchor, next_run_at, claim, last_run_at, run_count, last_status, last_error, created_at, updated_at, made_by""";

    /** Safe under races because rows others are claiming are passed over, and one claimed meanwhile is not due any more. */
    private static final String CLAIM = """
            WITH due AS (
                SELECT id AS due_id FROM schedules WHERE due_at <= now() AND now() < $3 ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
            )
            UPDATE schedules SET claim = claim + 1, due_at = now() + $2::bigint * interval '1 ms'
            FROM due WHERE id = due_id RETURNING %s, now() AS now
            """.formatted(COLUMNS);

    private static final String STEP = """
            UPDATE schedules SET claim = claim + 1, next_run_at = $3, due_at = $4 WHERE id = $1 AND claim = $2
            """;

    private static final String DISABLE = """
            UPDATE schedules SET enabled = false, claim = claim + 1, next_run_at = NULL, due_at = NULL, last_status = 'skipped',
                last_error = $3, updated_at = now() WHERE id = $1 AND claim = $2
            """;

    private static final String FORGET = "DELETE FROM schedules WHERE id = $1 AND claim = $2";

    private static final String FORGET_ALL = "DELETE FROM schedules WHERE workspace_id = ANY ($1::uuid[])";

    private static final String ENABLED_OF =
            "SELECT DISTINCT workspace_id FROM schedules WHERE workspace_id = ANY ($1::uuid[]) AND enabled";

    private static final String DISABLE_OF = """
            UPDATE schedules SET enabled = false, claim = claim + 1, next_run_at = NULL, due_at = NULL, updated_at = now()
            WHERE workspace_id = $1 AND enabled
            """;

    private static final String LIST = "SELECT " + COLUMNS + """
             FROM schedules WHERE workspace_id = $1 ORDER BY created_at, id
            """;

    private static final String ALL = "SELECT " + COLUMNS + """
            , now() AS now FROM schedules ORDER BY next_run_at NULLS LAST, id LIMIT $1
            """;

    private static final String FIND = "SELECT " + COLUMNS + " FROM schedules WHERE id = $1 AND workspace_id = $2";

    private static final String NOW = "SELECT now() AS now";

    private static final String OF_NAME =
            "SELECT " + COLUMNS + " FROM schedules WHERE workspace_id = $1 AND name = $2 FOR UPDATE";

    /** Two that make the last one allowed at the same time are counted one after the other. */
    private static final String LOCK = "SELECT pg_advisory_xact_lock(73130, hashtext($1::uuid::text))";

    private static final String COUNT = "SELECT count(*)::integer, now() AS now FROM schedules WHERE workspace_id = $1";

    private static final String INSERT = """
            INSERT INTO schedules (id, workspace_id, name, expression, timezone, prompt, enabled, missed, missed_window_seconds, overlap,
                jitter_seconds, source, anchor, next_run_at, due_at, made_by, created_at, updated_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, now(), now())
            """;

    private static final String UPDATE = """
            UPDATE schedules SET name = $2, expression = $3, timezone = $4, prompt = $5, enabled = $6, missed = $7,
                missed_window_seconds = $8, overlap = $9, jitter_seconds = $10, anchor = $11, next_run_at = $12, due_at = $13,
                claim = claim + 1, updated_at = now() WHERE id = $1
            """;

    private static final String DELETE = "DELETE FROM schedules WHERE id = $1 AND workspace_id = $2";

    static final String RUNTIME = "runtime";
    private static final String TEMPLATE = "template";

    /** Of one workspace. */
    static final int SCHEDULES_MAX = 100;

    private final Database database;
    private final PgScheduleRuns runs;

    public PgSchedules(Database database, PgQueueEntries queue, RowIds ids) {
        super(database, "schedules");
        this.database = database;
        this.runs = new PgScheduleRuns(database, queue, ids);
    }

    PgScheduleRuns runs() {
        return runs;
    }

    @Override
    public Future<List<DueSchedule>> claim(int max, Duration lease, Instant until) {
        return database.list(
                CLAIM,
                claiming(max, lease, until),
                row -> new DueSchedule(
                        schedule(row),
                        row.getLong("claim"),
                        row.getOffsetDateTime("now").toInstant()));
    }

    @Override
    public Future<Optional<List<ReplacedMessage>>> fire(DueSchedule due, TickPlan plan) {
        var step = Tuple.of(due.id(), due.claim(), time(plan.next()), time(plan.due()));
        return database.transaction(transaction -> transaction
                .changes(STEP, step)
                .compose(held -> held
                        ? carryOut(transaction, due.schedule(), plan).map(Optional::of)
                        : Future.succeededFuture(Optional.<List<ReplacedMessage>>empty())));
    }

    private Future<List<ReplacedMessage>> carryOut(Sql transaction, Schedule schedule, TickPlan plan) {
        List<ReplacedMessage> replaced = new ArrayList<>();
        Future<Void> done = runs.leave(transaction, schedule, plan.left());
        for (var run : plan.runs()) {
            done = done.compose(next -> runs.begin(transaction, schedule, run)).map(stopped -> {
                replaced.addAll(stopped);
                return null;
            });
        }
        return done.map(replaced);
    }

    @Override
    public Future<Boolean> disable(Claim claim, String why) {
        return step(DISABLE, Tuple.of(claim.id(), claim.claim(), why));
    }

    @Override
    public Future<Boolean> forget(Claim claim) {
        return step(FORGET, Tuple.of(claim.id(), claim.claim()));
    }

    Future<Void> forget(Collection<UUID> workspaces) {
        return database.run(FORGET_ALL, Tuple.tuple().addArrayOfUUID(workspaces.toArray(UUID[]::new)));
    }

    /** Which of them have a schedule that is on. */
    Future<List<UUID>> enabledOf(Collection<UUID> workspaces) {
        return database.list(
                ENABLED_OF, Tuple.tuple().addArrayOfUUID(workspaces.toArray(UUID[]::new)), row -> row.getUUID(0));
    }

    Future<Void> disable(UUID workspace) {
        return database.run(DISABLE_OF, Tuple.of(workspace));
    }

    /** Oldest first. */
    Future<List<Schedule>> list(UUID workspace) {
        return database.list(LIST, Tuple.of(workspace), PgSchedules::schedule);
    }

    /** A schedule as of a moment of the database's clock. */
    record Seen(Schedule schedule, Instant now) {}

    /** Of all workspaces, those whose tick comes first. */
    Future<List<Seen>> all(int max) {
        return database.list(
                ALL,
                Tuple.of(max),
                row -> new Seen(schedule(row), row.getOffsetDateTime("now").toInstant()));
    }

    /** Fails with NOT_FOUND. */
    Future<Schedule> get(UUID workspace, UUID id) {
        return find(database, workspace, id);
    }

    private static Future<Schedule> find(Sql sql, UUID workspace, UUID id) {
        return find(sql, FIND, workspace, id);
    }

    private static Future<Schedule> held(Sql transaction, UUID workspace, UUID id) {
        return find(transaction, FIND + " FOR UPDATE", workspace, id);
    }

    private static Future<Schedule> find(Sql sql, String statement, UUID workspace, UUID id) {
        return sql.find(statement, Tuple.of(id, workspace), PgSchedules::schedule)
                .map(found -> found.orElseThrow(() -> ApiError.notFound("schedule not found")));
    }

    /**
     * Fails with CONFLICT for a name that is taken, and when there are as many as there may be.
     *
     * @param id random from its first digits on, by which its messages are named
     * @param madeBy the credential, as the record shows it; null for none
     */
    Future<Schedule> create(UUID workspace, UUID id, ScheduleSpec spec, String source, @Nullable String madeBy) {
        return database.transaction(transaction -> create(transaction, workspace, id, spec, source, madeBy)
                        .compose(made -> find(transaction, workspace, id)))
                .recover(PgSchedules::named);
    }

    private Future<Void> create(
            Sql transaction, UUID workspace, UUID id, ScheduleSpec spec, String source, @Nullable String madeBy) {
        return transaction
                .run(LOCK, Tuple.of(workspace))
                .compose(locked -> transaction.get(COUNT, Tuple.of(workspace), row -> row))
                .compose(row -> {
                    if (row.getInteger(0) >= SCHEDULES_MAX) {
                        throw ApiError.conflict("a workspace has at most %d schedules".formatted(SCHEDULES_MAX));
                    }
                    var now = row.getOffsetDateTime("now").toInstant();
                    var ticks = Ticks.from(id, spec, now, now);
                    if (source.equals(RUNTIME)) {
                        requireTick(spec, ticks);
                    }
                    return transaction.run(
                            INSERT,
                            said(Tuple.of(id, workspace), spec)
                                    .addString(source)
                                    .addOffsetDateTime(PgScheduleRuns.at(now))
                                    .addOffsetDateTime(ticks.next())
                                    .addOffsetDateTime(ticks.due())
                                    .addValue(madeBy));
                });
    }

    /** Fails with NOT_FOUND, with CONFLICT for a name that is taken, and as {@code change} does. */
    Future<Schedule> change(UUID workspace, UUID id, UnaryOperator<ScheduleSpec> change) {
        return database.transaction(transaction -> held(transaction, workspace, id)
                        .compose(schedule -> update(transaction, schedule, change.apply(schedule.spec())))
                        .compose(changed -> find(transaction, workspace, id)))
                .recover(PgSchedules::named);
    }

    /** A tick that was to come stays, unless the change moves it. */
    private Future<Void> update(Sql transaction, Schedule schedule, ScheduleSpec spec) {
        return transaction.get(NOW, Tuple.tuple(), PgSchedules::now).compose(now -> {
            var was = schedule.spec();
            boolean moves = !was.expression().equals(spec.expression())
                    || !was.timezone().equals(spec.timezone())
                    || !was.jitter().equals(spec.jitter())
                    || was.enabled() != spec.enabled();
            var anchor = was.expression().equals(spec.expression()) ? schedule.anchor() : now;
            var ticks = moves
                    ? Ticks.from(schedule.id(), spec, anchor, now)
                    : Ticks.at(schedule.id(), spec, anchor, schedule.nextRunAt());
            if (moves && schedule.source().equals(RUNTIME)) {
                requireTick(spec, ticks);
            }
            return transaction.run(
                    UPDATE,
                    said(Tuple.of(schedule.id()), spec)
                            .addOffsetDateTime(PgScheduleRuns.at(anchor))
                            .addOffsetDateTime(ticks.next())
                            .addOffsetDateTime(ticks.due()));
        });
    }

    /** Those of an organisation's file: of a name that a person made, the person's stays. */
    Future<Void> put(UUID workspace, List<ScheduleSpec> specs) {
        return database.transaction(transaction -> {
            Future<Void> done = Future.succeededFuture();
            for (var spec : specs) {
                done = done.compose(next ->
                                transaction.find(OF_NAME, Tuple.of(workspace, spec.name()), PgSchedules::schedule))
                        .compose(known -> known.isEmpty()
                                ? create(transaction, workspace, UUID.randomUUID(), spec, TEMPLATE, null)
                                : known.get().source().equals(TEMPLATE)
                                        ? update(transaction, known.get(), spec)
                                        : Future.succeededFuture());
            }
            return done;
        });
    }

    Future<Boolean> delete(UUID workspace, UUID id) {
        return database.changes(DELETE, Tuple.of(id, workspace));
    }

    /** A run by hand, at this second. */
    Future<List<ReplacedMessage>> runNow(UUID workspace, UUID id) {
        return database.transaction(transaction -> held(transaction, workspace, id)
                .compose(schedule -> transaction
                        .get(NOW, Tuple.tuple(), PgSchedules::now)
                        .compose(now -> runs.begin(
                                transaction,
                                schedule,
                                new TickPlan.Run(Instant.ofEpochSecond(now.getEpochSecond()), "by hand")))));
    }

    private static void requireTick(ScheduleSpec spec, Ticks ticks) {
        if (spec.enabled() && ticks.next() == null) {
            throw ApiError.invalid("at is over");
        }
    }

    private static <T> Future<T> named(Throwable failure) {
        return Future.failedFuture(
                Postgres.isUniqueViolation(failure) ? ApiError.conflict("a schedule of that name exists") : failure);
    }

    /** The tick to come. */
    private record Ticks(
            @Nullable OffsetDateTime next, @Nullable OffsetDateTime due) {

        static Ticks from(UUID id, ScheduleSpec spec, Instant anchor, Instant now) {
            return at(
                    id,
                    spec,
                    anchor,
                    spec.enabled() ? spec.timetable().after(now, anchor).orElse(null) : null);
        }

        static Ticks at(UUID id, ScheduleSpec spec, Instant anchor, @Nullable Instant tick) {
            return tick == null
                    ? new Ticks(null, null)
                    : new Ticks(
                            PgScheduleRuns.at(tick),
                            PgScheduleRuns.at(TickPlan.dueAt(id, spec, spec.timetable(), anchor, tick)));
        }
    }

    private static Tuple said(Tuple parameters, ScheduleSpec spec) {
        return parameters
                .addString(spec.name())
                .addString(spec.expression())
                .addString(spec.timezone())
                .addString(spec.prompt())
                .addBoolean(spec.enabled())
                .addString(ScheduleSpec.wire(spec.missed()))
                .addInteger((int) spec.missedWindow().toSeconds())
                .addString(ScheduleSpec.wire(spec.overlap()))
                .addInteger((int) spec.jitter().toSeconds());
    }

    private static @Nullable OffsetDateTime time(Optional<Instant> moment) {
        return moment.map(PgScheduleRuns::at).orElse(null);
    }

    private static Instant now(Row row) {
        return row.getOffsetDateTime("now").toInstant();
    }

    static Schedule schedule(Row row) {
        var spec = new ScheduleSpec(
                row.getString("name"),
                row.getString("expression"),
                row.getString("timezone"),
                row.getString("prompt"),
                row.getBoolean("enabled"),
                MissedPolicy.valueOf(row.getString("missed").toUpperCase(Locale.ROOT)),
                Duration.ofSeconds(row.getInteger("missed_window_seconds")),
                OverlapPolicy.valueOf(row.getString("overlap").toUpperCase(Locale.ROOT)),
                Duration.ofSeconds(row.getInteger("jitter_seconds")));
        return new Schedule(
                row.getUUID("id"),
                row.getUUID("workspace_id"),
                spec,
                row.getOffsetDateTime("anchor").toInstant(),
                instant(row, "next_run_at"),
                instant(row, "last_run_at"),
                row.getLong("run_count"),
                row.getString("last_status"),
                row.getString("last_error"),
                row.getString("source"),
                row.getOffsetDateTime("created_at").toInstant(),
                row.getOffsetDateTime("updated_at").toInstant(),
                row.getString("made_by"));
    }

    static @Nullable Instant instant(Row row, String column) {
        var time = row.getOffsetDateTime(column);
        return time == null ? null : time.toInstant();
    }
}
