package ai.molecule.registry.devices;

import ai.molecule.common.auth.Role;
import ai.molecule.common.auth.Tokens;
import ai.molecule.common.db.Database;
import ai.molecule.registry.people.PeopleService;
import ai.molecule.registry.people.PgPersonTokenStore;
import ai.molecule.registry.postgres.PgValues;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Programs that wait for a person, in {@code devices}. */
public record PgDeviceStore(Database database) {

    /** What a person is shown before it says yes. */
    record Waiting(String name, String address, Instant createdAt) {}

    /** How a question of a program's ends. */
    sealed interface Outcome {

        /** There is none of that code, or its time is over. */
        record Unknown() implements Outcome {}

        record Pending() implements Outcome {}

        /** It asked again sooner than it was told to. */
        record TooSoon() implements Outcome {}

        record Denied() implements Outcome {}

        record Allowed(PeopleService.Minted minted) implements Outcome {}
    }

    /**
     * Keys are fresh; of the others only so many stay, so that nobody fills the table: the newest of each network before the second newest of
     * any, so that nobody pushes out those of other networks either.
     */
    private static final String INSERT = """
            WITH crowded AS (
                DELETE FROM devices WHERE device_hash IN (
                    SELECT device_hash FROM devices
                    ORDER BY row_number() OVER (PARTITION BY network ORDER BY created_at DESC), created_at DESC OFFSET $7)
            )
            INSERT INTO devices (device_hash, user_code, name, address, created_at, expires_at, network)
            VALUES ($1, $2, $3, $4, $5, $6, $8)
            """;

    private static final String FIND =
            "SELECT name, address, created_at FROM devices WHERE user_code = $1 AND expires_at > $2 AND allowed IS NULL";

    /** Of two that decide one finds it undecided. */
    private static final String DECIDE = """
            UPDATE devices SET allowed = $3, person_id = $4, role = $5, branch = $6, days = $7
            WHERE user_code = $1 AND expires_at > $2 AND allowed IS NULL
            """;

    private static final String LOCK = "SELECT * FROM devices WHERE device_hash = $1 AND expires_at > $2 FOR UPDATE";
    private static final String ASKED = "UPDATE devices SET asked_at = $2 WHERE device_hash = $1";
    private static final String REMOVE = "DELETE FROM devices WHERE device_hash = $1";
    private static final String FORGET = "DELETE FROM devices WHERE expires_at <= $1";

    Future<Void> insert(
            String deviceCode,
            String userCode,
            String name,
            String address,
            String network,
            Instant now,
            Instant expiresAt,
            int othersMax) {
        return database.run(
                INSERT,
                Tuple.of(
                        hash(deviceCode),
                        userCode,
                        name,
                        address,
                        PgValues.time(now),
                        PgValues.time(expiresAt),
                        othersMax,
                        network));
    }

    Future<Optional<Waiting>> find(String userCode, Instant now) {
        return database.find(
                FIND,
                Tuple.of(userCode, PgValues.time(now)),
                row -> new Waiting(
                        row.getString("name"),
                        row.getString("address"),
                        Objects.requireNonNull(PgValues.instant(row, "created_at"))));
    }

    /** False where nobody waits with that code any more. */
    Future<Boolean> allow(String userCode, UUID person, Role role, @Nullable UUID branch, Duration life, Instant now) {
        return database.changes(
                DECIDE, Tuple.of(userCode, PgValues.time(now), true, person, role.wire(), branch, (int) life.toDays()));
    }

    /** As above. */
    Future<Boolean> deny(String userCode, UUID person, Instant now) {
        return database.changes(DECIDE, Tuple.of(userCode, PgValues.time(now), false, person, null, null, null));
    }

    /** Whoever comes with the code first after it was allowed gets the token, once. */
    Future<Outcome> ask(String deviceCode, Instant now, Duration pace) {
        var hash = hash(deviceCode);
        return database.transaction(transaction -> transaction
                .find(LOCK, Tuple.of(hash, PgValues.time(now)), row -> row)
                .compose(found -> {
                    if (found.isEmpty()) {
                        return Future.<Outcome>succeededFuture(new Outcome.Unknown());
                    }
                    var row = found.get();
                    @Nullable Boolean allowed = row.getBoolean("allowed");
                    if (allowed == null) {
                        var before = PgValues.instant(row, "asked_at");
                        boolean soon = before != null && before.plus(pace).isAfter(now);
                        return transaction
                                .run(ASKED, Tuple.of(hash, PgValues.time(now)))
                                .map(soon ? new Outcome.TooSoon() : new Outcome.Pending());
                    }
                    var removed = transaction.run(REMOVE, Tuple.of(hash));
                    if (!allowed) {
                        return removed.map(new Outcome.Denied());
                    }
                    var minted = minted(row, now);
                    return removed.compose(gone -> PgPersonTokenStore.insert(
                                    transaction,
                                    row.getUUID("person_id"),
                                    minted.description(),
                                    minted.token(),
                                    PeopleService.TOKENS_MAX))
                            .map(new Outcome.Allowed(minted));
                }));
    }

    Future<Void> forget(Instant now) {
        return database.run(FORGET, Tuple.of(PgValues.time(now)));
    }

    private static PeopleService.Minted minted(Row row, Instant now) {
        return PeopleService.described(
                row.getString("name"),
                Role.find(row.getString("role")).orElseThrow(),
                row.getUUID("branch"),
                Duration.ofDays(row.getInteger("days")),
                now);
    }

    private static Buffer hash(String code) {
        return Buffer.buffer(Tokens.hash(code));
    }
}
