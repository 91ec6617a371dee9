package ai.molecule.events.audit;

import ai.molecule.common.events.Sequencer;
import ai.molecule.common.loops.Loop;
import ai.molecule.common.reconcilers.RunReport;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Links what was recorded, once a second, under the term of the leader that numbers events: whoever lost it links nothing. The end of the
 * chain is told to the log every hour and at the end, where whoever rewrites the database does not reach it.
 */
public final class AuditChain {

    private static final Logger LOGGER = LoggerFactory.getLogger(AuditChain.class);

    private static final Loop.Times TIMES = new Loop.Times(Duration.ofSeconds(1), Duration.ofSeconds(12));
    static final int LINKED_MAX = 500;
    private static final Duration TOLD_EVERY = Duration.ofHours(1);
    private static final Duration LAST_MAX = Duration.ofSeconds(2);

    private final PgAuditStore store;
    private final Sequencer leader;
    private final Loop loop;
    private long toldNanos = System.nanoTime();

    public AuditChain(Vertx vertx, PgAuditStore store, Sequencer leader, RunReport report) {
        this.store = store;
        this.leader = leader;
        this.loop = new Loop(vertx, report, "PostgreSQL", TIMES, this::run);
    }

    /** On the calling context. */
    public void start() {
        loop.start();
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
            return Future.succeededFuture(RunReport.StoodBy.STOOD_BY);
        }
        return link().compose(linked -> {
            if (linked == LINKED_MAX) {
                loop.poke();
            }
            boolean due = System.nanoTime() - toldNanos >= TOLD_EVERY.toNanos();
            return (due ? tell() : Future.<Void>succeededFuture()).map("linked %d rows".formatted(linked));
        });
    }

    private Future<Integer> link() {
        return store.link(leader.holder(), LINKED_MAX);
    }

    private Future<Void> tell() {
        toldNanos = System.nanoTime();
        return store.ends()
                .onSuccess(ends -> LOGGER.atInfo()
                        .addKeyValue("seq", ends.seq())
                        .addKeyValue("hash", ends.hash())
                        .addKeyValue("waiting", ends.waiting())
                        .log("end of the audit chain"))
                .mapEmpty();
    }
}
