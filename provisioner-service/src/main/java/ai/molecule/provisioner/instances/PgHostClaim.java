package ai.molecule.provisioner.instances;

import ai.molecule.common.db.Sql;
import ai.molecule.common.leases.RenewalStreak;
import ai.molecule.common.reconcilers.RunReport;
import ai.molecule.provisioner.backend.AgentHost;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The right of one {@link AgentHost} to run this platform's agents, held by a term in the row of {@code agent_host}. Provisioners of the same
 * host share it. What a provisioner that holds none would find of agents, on its own machine, looks dead: it would end them all.
 */
public final class PgHostClaim {

    /** How long a host that vanished keeps another waiting. */
    public static final Duration TERM = Duration.ofSeconds(30);

    private static final Logger LOGGER = LoggerFactory.getLogger(PgHostClaim.class);

    /** Of a term: two renewals may fail before the third is late. */
    private static final int RENEWALS = 6;

    /**
     * The row's lock decides between two that claim at once; the same host always has it, whenever its term ended. Another has it when it was
     * released, or when its term ended and it did not renew although there was the time to: after an outage all terms have ended.
     */
    private static final String CLAIM = """
            INSERT INTO agent_host AS present (id, place, held_until)
            VALUES ($1, $2, clock_timestamp() + $3 * interval '1 millisecond')
            ON CONFLICT (one) DO UPDATE SET id = excluded.id, place = excluded.place, held_until = excluded.held_until
            WHERE present.id = excluded.id OR present.held_until = '-infinity'
                OR (present.held_until = $4::timestamptz AND present.held_until <= clock_timestamp()
                    AND clock_timestamp() < $5::timestamptz)
            """;

    private static final String HOLDER =
            "SELECT place, held_until, clock_timestamp() AS at FROM agent_host WHERE id <> $1";

    private static final String RELEASE = "UPDATE agent_host SET held_until = '-infinity' WHERE id = $1";

    private final Vertx vertx;
    private final Sql sql;
    private final Supplier<Future<Optional<AgentHost>>> host;
    private final Duration term;
    private final RunReport report;
    private volatile boolean everywhere;
    private volatile long heldUntilNanos;
    private volatile boolean over;
    private volatile @Nullable String claimed;

    /** @param at when it was looked, by the database's clock */
    private record Holder(String place, OffsetDateTime until, OffsetDateTime at) {

        boolean renewedSince(Holder before) {
            return until.isAfter(before.until);
        }
    }

    /**
     * @param host empty when agents can be reached from everywhere alike; fails while it cannot be told
     * @param report told after every renewal
     */
    public PgHostClaim(
            Vertx vertx, Sql sql, Supplier<Future<Optional<AgentHost>>> host, Duration term, RunReport report) {
        this.vertx = vertx;
        this.sql = sql;
        this.host = host;
        this.term = term;
        this.report = report;
    }

    /**
     * Claims and keeps it. Waits for a term while another host has it and does not renew; fails with an {@link IllegalArgumentException} that says what to do
     * when another host renews. Completes without it while it cannot be told which host this is: it is claimed when that is known.
     *
     * @param lost run once when another host turns out to have it after all
     */
    public Future<Void> take(Runnable lost) {
        return host.get()
                .map(Optional::of)
                .recover(unknown -> {
                    report.failed(unknown);
                    return Future.succeededFuture(Optional.empty());
                })
                .compose(asked -> {
                    if (asked.isEmpty()) {
                        renewLater(lost);
                        return Future.succeededFuture();
                    }
                    var known = asked.get();
                    if (known.isEmpty()) {
                        everywhere = true;
                        return Future.succeededFuture();
                    }
                    return take(known.get(), null, RenewalStreak.proven(term)).onSuccess(taken -> renewLater(lost));
                });
    }

    /** Whether agents may be started and ended from here: not after a term in which the database was out of reach. */
    public boolean isHeld() {
        return everywhere || !over && claimed != null && System.nanoTime() - heldUntilNanos < 0;
    }

    /** Lets another host have it at once. */
    public Future<Void> release() {
        over = true;
        String id = claimed;
        return id == null ? Future.succeededFuture() : sql.run(RELEASE, Tuple.of(id));
    }

    /** @param looks at a holder that does not renew */
    private Future<Void> take(AgentHost place, @Nullable Holder before, RenewalStreak looks) {
        return claim(place, before, looks).compose(taken -> {
            if (taken) {
                return Future.succeededFuture();
            }
            return holder(place).compose(holder -> {
                holder.ifPresent(found -> looks.renewed(found.at().toInstant()));
                if (holder.isPresent() && before != null && holder.get().renewedSince(before)) {
                    return Future.failedFuture(
                            refusal(place, holder.get().place())); // it is renewed, so somebody lives there
                }
                return vertx.timer(pause())
                        .compose(later -> over
                                ? Future.failedFuture("the provisioner stops")
                                : take(place, holder.orElse(null), looks));
            });
        });
    }

    private Future<Boolean> claim(AgentHost place) {
        return claim(place, null, RenewalStreak.proven(term));
    }

    private Future<Boolean> claim(AgentHost place, @Nullable Holder silent, RenewalStreak looks) {
        long asked = System.nanoTime();
        var parameters = Tuple.of(place.id(), place.place(), term.toMillis())
                .addOffsetDateTime(silent == null ? null : silent.until())
                .addOffsetDateTime(looks.judgesUntil()
                        .map(until -> until.atOffset(ZoneOffset.UTC))
                        .orElse(null));
        return sql.changes(CLAIM, parameters).onSuccess(taken -> {
            if (taken) {
                heldUntilNanos = asked + term.toNanos();
                claimed = place.id();
            }
        });
    }

    private Future<Optional<Holder>> holder(AgentHost place) {
        return sql.find(
                HOLDER,
                Tuple.of(place.id()),
                row -> new Holder(
                        row.getString("place"), row.getOffsetDateTime("held_until"), row.getOffsetDateTime("at")));
    }

    private long pause() {
        return Math.max(1, term.toMillis() / RENEWALS);
    }

    private void renewLater(Runnable lost) {
        vertx.setTimer(pause(), due -> {
            if (!over) {
                renew(lost);
            }
        });
    }

    private void renew(Runnable lost) {
        host.get()
                .compose(known -> {
                    var place = known.orElseThrow();
                    return claim(place).compose(taken -> taken ? Future.succeededFuture() : refused(place, lost));
                })
                .onComplete(
                        done -> report.done("agents run at %s".formatted(claimed)), failure -> report.failed(failure))
                .onComplete(done -> renewLater(lost));
    }

    /** Another host has it. Who never had it goes on waiting, for nothing was done from here. */
    private Future<Void> refused(AgentHost place, Runnable lost) {
        return holder(place).compose(holder -> {
            var why = refusal(place, holder.map(Holder::place).orElse("unknown"));
            if (claimed != null) {
                over = true;
                LOGGER.atError().log("no agent is started or ended from here any more: {}", why.getMessage());
                lost.run();
            }
            return Future.failedFuture(why);
        });
    }

    private static IllegalArgumentException refusal(AgentHost ours, String other) {
        return new IllegalArgumentException(
                ("agents of this platform run on another machine or in another data folder (%s), and a provisioner here (%s) would end them;"
                                + " stop the provisioner there and start this one again, or start it there with that data folder"
                                + " (docs/cluster.md)")
                        .formatted(other, ours.place()));
    }
}
