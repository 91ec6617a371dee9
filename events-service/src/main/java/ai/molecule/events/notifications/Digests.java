package ai.molecule.events.notifications;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.proxy.WorkBetween;
import ai.molecule.common.loops.InTurn;
import ai.molecule.events.notifications.PgNotificationOutbox.DigestDue;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/** Puts digests that are due into the outbox. One that cannot be written stays due: it tells of more then. */
record Digests(PgNotificationOutbox outbox, Bus bus, Clock clock) {

    /** Of one that was switched off for long. */
    private static final Duration TOLD_MAX = Duration.ofDays(7);

    Future<Void> run() {
        return outbox.digests(clock.instant())
                .compose(due -> InTurn.each(due, this::put))
                .mapEmpty();
    }

    private Future<Void> put(DigestDue due) {
        var now = clock.instant();
        var from = latest(due.from(), now.minus(TOLD_MAX));
        return Future.all(bus.call(WorkBetween.CONTRACT, new WorkBetween(from, now)), outbox.waiting())
                .compose(read -> {
                    WorkBetween.Sum sum = read.resultAt(0);
                    int waiting = read.<Integer>resultAt(1);
                    var digest = new Digest(sum.done(), sum.stopped(), sum.failed(), sum.costMicros(), waiting);
                    return outbox.putDigest(due, due.times().digestAfter(now).orElse(null), now, digest.text());
                })
                .mapEmpty();
    }

    private static Instant latest(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }
}
