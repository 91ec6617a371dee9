package ai.molecule.common.service;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.Contract;
import ai.molecule.common.db.Database;
import ai.molecule.common.db.Postgres;
import ai.molecule.common.db.Session;
import ai.molecule.common.reconcilers.RunReport;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leaves bus calls to the other replicas while this one cannot reach the database: calls go to all in turn, and each would wait here in
 * vain. Looks by a connection of its own, so that a pool that is busy does not count as a database that is away. To be used on one event loop.
 */
final class DatabaseWatch {

    private static final Logger LOGGER = LoggerFactory.getLogger(DatabaseWatch.class);

    private static final Duration EVERY = Duration.ofSeconds(2);
    private static final Duration LOOK_MAX = Duration.ofSeconds(2);

    /** One look may meet a server that restarts. */
    private static final int FAILURES = 2;

    private final Vertx vertx;
    private final Database database;
    private final Bus bus;
    private final Contract<?, ?> status;
    private final RunReport report;
    private Session session;
    private int failures;
    private volatile boolean over;

    /** @param status goes on being served here: it says what is wrong */
    DatabaseWatch(Vertx vertx, Database database, Bus bus, Contract<?, ?> status, RunReport report) {
        this.vertx = vertx;
        this.database = database;
        this.bus = bus;
        this.status = status;
        this.report = report;
        this.session = database.session(LOOK_MAX);
    }

    DatabaseWatch start() {
        lookLater();
        return this;
    }

    Future<Void> stop() {
        over = true;
        return session.close();
    }

    private void lookLater() {
        vertx.setTimer(EVERY.toMillis(), due -> {
            if (!over && !Leaving.of(vertx).hasBegun()) {
                look().onComplete(done -> lookLater());
            }
        });
    }

    private Future<Void> look() {
        return Postgres.writable(session)
                .timeout(LOOK_MAX.toMillis(), TimeUnit.MILLISECONDS)
                .transform(look -> look.succeeded() ? there() : away(look.cause()));
    }

    private Future<Void> there() {
        if (failures >= FAILURES) {
            LOGGER.info("the database is back, bus calls are answered here again");
        }
        failures = 0;
        return bus.serveAgain()
                .onSuccess(done -> report.done("reaches the database"))
                .onFailure(report::failed)
                .mapEmpty();
    }

    private Future<Void> away(Throwable why) {
        report.failed(why);
        session.close(); // it may lead to a server that takes no changes, or to nobody
        session = database.session(LOOK_MAX);
        failures++;
        if (failures < FAILURES) {
            return Future.succeededFuture();
        }
        if (failures == FAILURES) {
            LOGGER.atWarn()
                    .addKeyValue("reason", why.toString())
                    .log("the database is away, bus calls are left to other replicas");
        }
        return bus.leaveToOthers(status).mapEmpty(); // again each time: others come and go
    }
}
