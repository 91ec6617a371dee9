package ai.molecule.proxy.leases;

import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.Collection;
import java.util.UUID;

/** The statements about leases that every table with {@code id}, {@code claim} and {@code due_at} shares. */
public final class PgLeases {

    /** Safe under races because a claim that was given back, or taken by another, has another number. */
    private static final String SET_DUE = """
            UPDATE %s AS work SET due_at = now() + $3::bigint * interval '1 ms', claim = work.claim + $4::integer
            FROM unnest($1::uuid[], $2::bigint[]) AS held (id, claim)
            WHERE work.id = held.id AND work.claim = held.claim AND work.due_at IS NOT NULL
            """;

    private final Pool pool;
    private final String setDue;

    public PgLeases(Pool pool, String table) {
        this.pool = pool;
        this.setDue = SET_DUE.formatted(table);
    }

    public Future<Void> renew(Collection<Claim> held, Duration lease) {
        return run(held, lease, 0);
    }

    public Future<Void> release(Collection<Claim> held) {
        return run(held, Duration.ZERO, 1);
    }

    /** Changes the row of a claim; {@code statement} names both. False when the claim is not held any more. */
    public Future<Boolean> step(String statement, Tuple parameters) {
        return pool.preparedQuery(statement).execute(parameters).map(rows -> rows.rowCount() > 0);
    }

    private Future<Void> run(Collection<Claim> held, Duration due, int step) {
        return pool.preparedQuery(setDue)
                .execute(Tuple.tuple()
                        .addArrayOfUUID(held.stream().map(Claim::id).toArray(UUID[]::new))
                        .addArrayOfLong(held.stream().map(Claim::claim).toArray(Long[]::new))
                        .addLong(due.toMillis())
                        .addInteger(step))
                .mapEmpty();
    }
}
