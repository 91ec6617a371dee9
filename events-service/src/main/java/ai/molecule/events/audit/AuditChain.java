package ai.molecule.events.audit;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.SignAuditHead;
import ai.molecule.common.events.Sequencer;
import ai.molecule.common.loops.Loop;
import ai.molecule.common.reconcilers.RunReport;
import ai.molecule.events.audit.PgAuditStore.Ends;
import ai.molecule.events.audit.PgAuditStore.SignedHead;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Links what was recorded, once a second, under the term of the leader that numbers events: whoever lost it links nothing. The end of the
 * chain is signed with the organisation's key, and told to the log, where whoever rewrites the database does not reach it: when this
 * replica becomes the leader, every hour, and when it stops.
 */
public final class AuditChain {

    private static final Logger LOGGER = LoggerFactory.getLogger(AuditChain.class);

    private static final Loop.Times TIMES = new Loop.Times(Duration.ofSeconds(1), Duration.ofSeconds(12));
    static final int LINKED_MAX = 500;
    private static final Duration TOLD_EVERY = Duration.ofHours(1);
    /** An end that could not be. */
    private static final Duration SIGNED_AGAIN_AFTER = Duration.ofMinutes(1);

    private static final Duration LAST_MAX = Duration.ofSeconds(2);

    private final PgAuditStore store;
    private final Bus bus;
    private final Sequencer leader;
    private final Loop loop;
    private long toldNanos;
    private boolean toldBefore;

    public AuditChain(Vertx vertx, PgAuditStore store, Bus bus, Sequencer leader, RunReport report) {
        this.store = store;
        this.bus = bus;
        this.leader = leader;
        this.loop = new Loop(vertx, report, "PostgreSQL", TIMES, this::run);
    }

    /** On the calling context. */
    public void start() {
        loop.start();
    }

    /** The first step of a stop: links and signs what there is while others still answer. */
    public Future<Void> seal() {
        return leader.isLeading()
                ? link().compose(linked -> tell())
                        .timeout(LAST_MAX.toMillis(), TimeUnit.MILLISECONDS)
                        .otherwiseEmpty()
                : Future.succeededFuture();
    }

    /** Links what there is, as far as that is possible at once. */
    public Future<Void> stop() {
        return loop.stop()
                .compose(over -> leader.isLeading() ? link().compose(linked -> tell()) : Future.succeededFuture())
                .timeout(LAST_MAX.toMillis(), TimeUnit.MILLISECONDS)
                .<Void>mapEmpty()
                .otherwiseEmpty();
    }

    private Future<Object> run() {
        if (!leader.isLeading()) {
            toldBefore = false;
            return Future.succeededFuture(RunReport.StoodBy.STOOD_BY);
        }
        return link().compose(linked -> {
            if (linked == LINKED_MAX) {
                loop.poke();
            }
            boolean due = !toldBefore || System.nanoTime() - toldNanos >= TOLD_EVERY.toNanos();
            return (due ? tell() : Future.<Void>succeededFuture()).map("linked %d rows".formatted(linked));
        });
    }

    private Future<Integer> link() {
        return store.link(leader.holder(), LINKED_MAX);
    }

    /** Fails nothing: an end that is not signed is followed by one that is. */
    private Future<Void> sign(Ends ends) {
        return store.hasHead(ends.seq())
                .compose(signed -> signed
                        ? Future.<Void>succeededFuture()
                        : bus.call(SignAuditHead.CONTRACT, new SignAuditHead(ends.seq(), ends.hash(), Instant.now()))
                                .compose(made -> store.addHead(new SignedHead(ends.seq(), made.jws()))))
                .onFailure(unsigned -> {
                    toldNanos = System.nanoTime() - TOLD_EVERY.toNanos() + SIGNED_AGAIN_AFTER.toNanos();
                    LOGGER.atWarn()
                            .addKeyValue("seq", ends.seq())
                            .addKeyValue("reason", unsigned.getMessage())
                            .log("end of the audit chain is not signed");
                })
                .otherwiseEmpty();
    }

    private Future<Void> tell() {
        return store.ends().compose(ends -> ends.seq() == 0 ? Future.succeededFuture() : tell(ends));
    }

    private Future<Void> tell(Ends ends) {
        toldNanos = System.nanoTime();
        toldBefore = true;
        LOGGER.atInfo()
                .addKeyValue("seq", ends.seq())
                .addKeyValue("hash", ends.hash())
                .addKeyValue("waiting", ends.waiting())
                .log("end of the audit chain");
        return sign(ends);
    }
}
