package ai.molecule.common.service;

import ai.molecule.common.cluster.Neighbours;
import ai.molecule.common.loops.Loop;
import ai.molecule.common.reconcilers.RunReport;
import ai.molecule.common.reconcilers.RunReport.Outcome;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks at the other members every 2 s and says which of them are lost. To be used on one event loop. */
final class NeighboursWatch {

    private static final Logger LOGGER = LoggerFactory.getLogger(NeighboursWatch.class);

    private static final Duration EVERY = Duration.ofSeconds(2);
    private static final Duration LOOK_MAX = Duration.ofSeconds(5);

    private final Vertx vertx;
    private final Loop loop;
    private Set<String> silent = Set.of();
    private volatile int cutOffLooks;

    NeighboursWatch(Vertx vertx, RunReport report) {
        this.vertx = vertx;
        this.loop = new Loop(vertx, report, "the cluster", new Loop.Times(EVERY, LOOK_MAX), this::look);
    }

    NeighboursWatch start() {
        loop.start();
        return this;
    }

    Future<Void> stop() {
        return loop.stop();
    }

    /** Whether none of several other members answers, and did not at the look before either: all of a platform may be slow at once for a moment. */
    boolean isCutOff() {
        return cutOffLooks > 1;
    }

    private Future<Outcome> look() {
        return Neighbours.look(vertx).map(this::seen);
    }

    private Outcome seen(Neighbours.Seen seen) {
        cutOffLooks = seen.isCutOff() ? cutOffLooks + 1 : 0;
        tell(seen);
        String did = "looked at %d other members".formatted(seen.others())
                + (seen.restored() == 0 ? "" : ", and put back %d entries of this one".formatted(seen.restored()));
        return seen.silent().isEmpty()
                ? new Outcome(did, null)
                : new Outcome(
                        did,
                        "no answer from %s over the event bus: what others serve too is asked of those. Does it run, and is its port open for this host?"
                                .formatted(String.join(", ", seen.silent())),
                        false);
    }

    private void tell(Neighbours.Seen seen) {
        var now = Set.copyOf(seen.silent());
        without(now, silent)
                .forEach(member -> LOGGER.atWarn()
                        .addKeyValue("member", member)
                        .log("a member of the cluster does not answer, others are asked in its place"));
        without(silent, now)
                .forEach(member -> LOGGER.atInfo()
                        .addKeyValue("member", member)
                        .log("a member of the cluster answers again, or has left"));
        silent = now;
        if (seen.restored() > 0) {
            LOGGER.atWarn()
                    .addKeyValue("entries", seen.restored())
                    .log("the cluster had lost what this member serves, it is put back");
        }
    }

    private static List<String> without(Set<String> all, Set<String> others) {
        var rest = new HashSet<>(all);
        rest.removeAll(others);
        return rest.stream().sorted().toList();
    }
}
