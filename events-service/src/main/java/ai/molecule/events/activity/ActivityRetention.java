package ai.molecule.events.activity;

import ai.molecule.common.loops.InTurn;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps so many days of activity: makes room for the days to come and drops those that are over. A reconciler: idempotent,
 * to be run at the start, before rows arrive, and every few hours.
 *
 * @param days how many days before today are kept
 */
public record ActivityRetention(PgActivityDayStore store, Clock clock, int days) {

    /** Days dropped in one run; a longer arrear is worked off by the next ones. */
    private static final int DROPPED_MAX = 31;

    private static final Logger LOGGER = LoggerFactory.getLogger(ActivityRetention.class);

    /** The oldest day that is kept. */
    LocalDate first() {
        return today().minusDays(days);
    }

    /** The newest day that a row may be of: clocks of senders differ. */
    LocalDate last() {
        return today().plusDays(1);
    }

    /** Fails when there is no room for today's rows. */
    public Future<Void> makeRoom() {
        return store.prepare(first(), last());
    }

    /** Makes room, then drops; what fails is tried again by the next run. */
    public Future<Void> run() {
        return makeRoom()
                .compose(prepared -> store.before(first()))
                .compose(over -> drop(over.subList(0, Math.min(over.size(), DROPPED_MAX))));
    }

    private Future<Void> drop(List<LocalDate> over) {
        return InTurn.each(
                        over,
                        day -> store.drop(day)
                                .onSuccess(gone ->
                                        LOGGER.atInfo().addKeyValue("day", day).log("activity of a day dropped")))
                .mapEmpty();
    }

    LocalDate today() {
        return LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
    }
}
