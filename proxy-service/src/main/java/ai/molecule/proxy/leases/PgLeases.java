package ai.molecule.proxy.leases;

import ai.molecule.common.db.Database;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.UUID;

/** What every table with {@code id}, {@code claim} and {@code due_at} shares; claiming is the table's own. */
public abstract class PgLeases<W extends Leased> implements LeaseStore<W> {

    /** Safe under races because a claim that was given back, or taken by another, has another number. */
    private static final String SET_DUE = """
            WITH changed AS (
                UPDATE %s AS work SET due_at = now() + $3::bigint * interval '1 ms', claim = work.claim + $4::integer
                FROM unnest($1::uuid[], $2::bigint[]) AS held (id, claim)
                WHERE work.id = held.id AND work.claim = held.claim AND work.due_at IS NOT NULL
            )
            SELECT now()
            """;

    private final Database database;
    private final String setDue;

    protected PgLeases(Database database, String table) {
        this.database = database;
        this.setDue = SET_DUE.formatted(table);
    }

    @Override
    public final Future<Instant> renew(Collection<Claim> held, Duration lease) {
        return setDue(held, lease, 0);
    }

    @Override
    public final Future<Void> release(Collection<Claim> held) {
        return setDue(held, Duration.ZERO, 1).mapEmpty();
    }

    /** The parameters of a claim: how many, for how many milliseconds, and until when by the database's clock. */
    protected static Tuple claiming(int max, Duration lease, Instant until) {
        return Tuple.of(max, lease.toMillis(), until.atOffset(ZoneOffset.UTC));
    }

    /** Changes the row of a claim; {@code statement} names both. False when the claim is not held any more. */
    protected final Future<Boolean> step(String statement, Tuple parameters) {
        return database.changes(statement, parameters);
    }

    private Future<Instant> setDue(Collection<Claim> held, Duration due, int step) {
        return database.query(
                        setDue,
                        Tuple.tuple()
                                .addArrayOfUUID(held.stream().map(Claim::id).toArray(UUID[]::new))
                                .addArrayOfLong(held.stream().map(Claim::claim).toArray(Long[]::new))
                                .addLong(due.toMillis())
                                .addInteger(step))
                .map(rows -> rows.iterator().next().getOffsetDateTime(0).toInstant());
    }
}
