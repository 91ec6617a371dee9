package ai.molecule.events.notifications;

import ai.molecule.common.ApiError;
import ai.molecule.common.db.Database;
import ai.molecule.common.json.Json;
import ai.molecule.events.notifications.Target.Standing;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Who is told, in {@code notification_targets} (db/events/V120__notifications.sql). */
record PgTargetStore(Database database) {

    /** Each thing that waits is put into the outbox once for each of them. */
    static final int MAX = 100;

    /** A target, and how it goes with it. */
    record Kept(Target target, Standing standing) {}

    /** One is added at a time, so that the count holds. */
    private static final String LOCK = "SELECT pg_advisory_xact_lock(66532871)";

    private static final String COUNT = "SELECT count(*)::integer FROM notification_targets";

    private static final String EXISTS = "SELECT 1 FROM notification_targets WHERE id = $1";

    private static final String INSERT = """
            INSERT INTO notification_targets (id, name, who, channel, url, mail, kinds, quiet_from, quiet_to, digest_at, zone,
                deputy, deputy_until, enabled, digest_due)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
            """;

    /** What waits is tried at once, by what is right now; where it is being told something, after that. */
    private static final String CHANGE = """
            UPDATE notification_targets SET name = $2, who = $3, channel = $4, url = $5, mail = $6, kinds = $7, quiet_from = $8,
                quiet_to = $9, digest_at = $10, zone = $11, deputy = $12, deputy_until = $13, enabled = $14, digest_due = $15, attempts = 0,
                due_at = CASE WHEN EXISTS (SELECT 1 FROM notifications WHERE target = $1 AND ended_at IS NULL)
                    THEN greatest(coalesce(held_until, now()), now()) END
            WHERE id = $1
            """;

    private static final String DELETE = "DELETE FROM notification_targets WHERE id = $1";

    private static final String LIST = """
            SELECT t.*, (SELECT count(*) FROM notifications WHERE target = t.id AND ended_at IS NULL)::integer AS waiting
            FROM notification_targets AS t WHERE $1::uuid IS NULL OR id = $1 ORDER BY created_at, id
            """;

    private static final String FAILING = """
            SELECT name, failing_since, last_error FROM notification_targets
            WHERE enabled AND failing_since IS NOT NULL ORDER BY failing_since LIMIT 10
            """;

    static ApiError unknown() {
        return ApiError.notFound("notification target not found");
    }

    Future<List<Kept>> list() {
        return database.list(LIST, Tuple.of((UUID) null), PgTargetStore::toKept);
    }

    Future<Optional<Target>> find(UUID id) {
        return database.find(LIST, Tuple.of(id), PgTargetStore::toTarget);
    }

    /** Fails with CONFLICT where there are as many as there may be, and INVALID for an unknown deputy. */
    Future<Void> insert(Target target, @Nullable Instant digestDue) {
        return database.transaction(transaction -> transaction
                .run(LOCK)
                .compose(locked -> transaction.get(COUNT, Tuple.tuple(), row -> row.getInteger(0)))
                .compose(count -> {
                    if (count >= MAX) {
                        throw ApiError.conflict("maximum %d notification targets".formatted(MAX));
                    }
                    return requireDeputy(target);
                })
                .compose(there -> transaction.run(INSERT, parameters(target, digestDue))));
    }

    /** Fails with NOT_FOUND, and INVALID for an unknown deputy. */
    Future<Void> change(Target target, @Nullable Instant digestDue) {
        return requireDeputy(target)
                .compose(there -> database.changes(CHANGE, parameters(target, digestDue)))
                .map(changed -> {
                    if (!changed) {
                        throw unknown();
                    }
                    return null;
                });
    }

    Future<Boolean> delete(UUID id) {
        return database.changes(DELETE, Tuple.of(id));
    }

    /** In words, for the platform screen; empty while all take what they are told. */
    Future<List<String>> failing() {
        return database.list(
                FAILING,
                Tuple.tuple(),
                row -> "%s since %s (%s)"
                        .formatted(
                                row.getString("name"),
                                Json.time(row.getOffsetDateTime("failing_since").toInstant()),
                                row.getString("last_error")));
    }

    private Future<?> requireDeputy(Target target) {
        return target.deputy() == null
                ? Future.succeededFuture()
                : database.query(EXISTS, Tuple.of(target.deputy())).map(rows -> {
                    if (rows.size() == 0) {
                        throw ApiError.invalid("deputy must be the id of a target");
                    }
                    return null;
                });
    }

    private static Tuple parameters(Target target, @Nullable Instant digestDue) {
        var times = target.times();
        var kinds = target.kinds();
        var mail = target.mail();
        return Tuple.tuple()
                .addUUID(target.id())
                .addString(target.name())
                .addString(target.who())
                .addString(target.channel().wire())
                .addString(target.url())
                .addValue(
                        mail == null
                                ? null
                                : new JsonObject()
                                        .put("from", mail.from())
                                        .put("to", mail.to())
                                        .put("user", mail.user())
                                        .put("plain", mail.plain()))
                .addValue(kinds == null ? null : kinds.toArray(String[]::new))
                .addLocalTime(times.quietFrom())
                .addLocalTime(times.quietTo())
                .addLocalTime(times.digestAt())
                .addString(times.zone().getId())
                .addUUID(target.deputy())
                .addOffsetDateTime(time(target.deputyUntil()))
                .addBoolean(target.enabled())
                .addOffsetDateTime(time(digestDue));
    }

    private static Kept toKept(Row row) {
        return new Kept(
                toTarget(row),
                new Standing(
                        row.getInteger("waiting"),
                        instant(row, "delivered_at"),
                        instant(row, "failing_since"),
                        row.getString("last_error")));
    }

    static Target toTarget(Row row) {
        @Nullable JsonObject mail = row.getJsonObject("mail");
        String @Nullable [] kinds = row.getArrayOfStrings("kinds");
        return new Target(
                row.getUUID("id"),
                row.getString("name"),
                row.getString("who"),
                Channel.find(row.getString("channel")).orElseThrow(),
                row.getString("url"),
                mail == null ? null : toMail(Json.stored(mail.encode())),
                kinds == null ? null : List.of(kinds),
                new DayTimes(
                        row.getLocalTime("quiet_from"),
                        row.getLocalTime("quiet_to"),
                        row.getLocalTime("digest_at"),
                        ZoneId.of(row.getString("zone"))),
                row.getUUID("deputy"),
                instant(row, "deputy_until"),
                row.getBoolean("enabled"));
    }

    private static Target.Mail toMail(JsonNode mail) {
        return new Target.Mail(
                mail.path("from").asText(),
                mail.path("to").asText(),
                mail.path("user").textValue(),
                mail.path("plain").asBoolean());
    }

    static @Nullable Instant instant(Row row, String column) {
        @Nullable OffsetDateTime time = row.getOffsetDateTime(column);
        return time == null ? null : time.toInstant();
    }

    private static @Nullable OffsetDateTime time(@Nullable Instant moment) {
        return moment == null ? null : moment.atOffset(ZoneOffset.UTC);
    }
}
