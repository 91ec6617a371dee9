package ai.molecule.proxy.models;

import ai.molecule.common.auth.Guards;
import ai.molecule.common.service.ServiceContext;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;

/** What the model door is made of. */
public final class Models {

    private static final Duration LAST_ROWS = Duration.ofSeconds(4);

    private final ModelDoor door;
    private final ModelDoorRoutes routes;
    private final UsageRoutes usage;
    private final ModelCalls calls;
    private final Ledger ledger;

    private Models(ModelDoor door, ModelDoorRoutes routes, UsageRoutes usage, ModelCalls calls, Ledger ledger) {
        this.door = door;
        this.routes = routes;
        this.usage = usage;
        this.calls = calls;
        this.ledger = ledger;
    }

    /** To be called on the event loop that serves it. */
    public static Models of(ServiceContext service, Guards guards, ModelsConfig config) {
        var ledger = new Ledger(
                service.vertx(),
                service.bus(),
                new PgLedgerStore(service.pool()),
                config.limits(),
                config.keep(),
                service.reconcilers());
        var calls = new ModelCalls(service.vertx(), config, new ProviderKeys(service.bus()), ledger, Clock.systemUTC());
        var usage = new UsageRoutes(new PgUsageStore(service.pool()), Clock.systemUTC());
        return new Models(new ModelDoor(guards), new ModelDoorRoutes(calls), usage, calls, ledger);
    }

    public Models start() {
        ledger.start();
        return this;
    }

    public ModelDoor door() {
        return door;
    }

    public ModelDoorRoutes routes() {
        return routes;
    }

    public UsageRoutes usage() {
        return usage;
    }

    /** Ends the calls that are still under way and writes down what they cost. */
    public Future<?> stop() {
        return calls.stop().eventually(() -> ledger.stop(LAST_ROWS));
    }
}
