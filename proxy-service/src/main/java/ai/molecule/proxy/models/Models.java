package ai.molecule.proxy.models;

import ai.molecule.common.auth.CredentialWatch;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.bus.proxy.ModelSpend;
import ai.molecule.common.bus.proxy.TeamSpend;
import ai.molecule.common.directory.OrgChartCache;
import ai.molecule.common.loops.Loop;
import ai.molecule.common.net.SafeDialer;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.proxy.models.pricelist.PriceLists;
import ai.molecule.proxy.passports.PassportBook;
import ai.molecule.proxy.spending.PgSpending;
import ai.molecule.proxy.tasks.TaskLog;
import io.micrometer.core.instrument.Gauge;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Optional;

/** What the model door is made of. */
public final class Models {

    private static final Duration LAST_ROWS = Duration.ofSeconds(4);
    private static final Loop.Times LEVELS = new Loop.Times(Duration.ofSeconds(5), Duration.ofSeconds(12));
    private static final int LEVELS_MAX = 1_000;

    /** Whether it is time to look for another price list says the database; a look takes 10 s at most. */
    private static final Loop.Times PRICE_LIST = new Loop.Times(Duration.ofMinutes(10), Duration.ofSeconds(30));

    private static final Duration MEDIANS_AGE_MAX = Duration.ofMinutes(1);

    private final ModelDoor door;
    private final ModelDoorRoutes routes;
    private final UsageRoutes usage;
    private final PgUsageStore spending;
    private final ModelCalls calls;
    private final Ledger ledger;
    private final PriceBook prices;
    private final Loop levels;
    private final Optional<Loop> renewing;

    private Models(
            ModelDoor door,
            ModelDoorRoutes routes,
            UsageRoutes usage,
            PgUsageStore spending,
            ModelCalls calls,
            Ledger ledger,
            PriceBook prices,
            Loop levels,
            Optional<Loop> renewing) {
        this.levels = levels;
        this.renewing = renewing;
        this.prices = prices;
        this.spending = spending;
        this.door = door;
        this.routes = routes;
        this.usage = usage;
        this.calls = calls;
        this.ledger = ledger;
    }

    /**
     * To be called on the event loop that serves it.
     *
     * @param dialer to addresses that a secret names, which may be anybody's word
     * @param tasks knows the begins of runs that are not written yet
     * @param limitsOfAll what the organization lets runs and days cost
     */
    public static Models of(
            ServiceContext service,
            Guards guards,
            CredentialWatch<Object> open,
            OrgChartCache charts,
            SafeDialer dialer,
            TaskLog tasks,
            PgSpending limitsOfAll,
            ModelsConfig config) {
        var prices = new PriceBook(
                config.providers(),
                new PgModelPrices(service.database()),
                PriceLists.of(service, dialer, config.priceList(), Clock.systemUTC()));
        var ledger = new Ledger(
                service.vertx(),
                service.bus(),
                new PgLedgerStore(service.pool()),
                new PgCallPlaces(service.pool(), tasks::flush),
                limitsOfAll,
                prices,
                new PgMoneyWaits(service.pool()),
                config.limits(),
                config.keep(),
                service.reconcilers(),
                new ModelMeters(service.meters()));
        var calls = new ModelCalls(
                service.vertx(),
                config,
                new ProviderAccesses(service.bus()),
                new ModelAliases(config.providers(), prices, new PgModelAliases(service.pool()), ledger::standingOf),
                prices,
                new PgProviderPaces(service.pool()),
                new ProviderDialler(service.vertx(), config, dialer),
                ledger,
                new ProviderWaits(service.bus(), Clock.systemUTC()),
                new PassportBook(service.bus()),
                Clock.systemUTC());
        var spending = new PgUsageStore(service.pool());
        var usage = new UsageRoutes(spending, service.bus(), charts, Clock.systemUTC());
        var limits = new PgLimitLevels(service.pool());
        var caps = new PgCapLevels(service.pool());
        var costs = new PgUnusualCosts(service.database(), MEDIANS_AGE_MAX);
        var levels = new Loop(
                service.vertx(),
                service.reconcilers()
                        .add(
                                "model-limits",
                                "tells when runs, delegations and days have spent 80 percent of their limits, or all, and when a run costs more than others of its kind"),
                "PostgreSQL",
                LEVELS,
                () -> limits.tell(LEVELS_MAX)
                        .compose(told -> capLevel(caps, charts).map(day -> told + day))
                        .compose(told -> costs.tell(LEVELS_MAX).map(runs -> told + runs))
                        .map("told %d"::formatted));
        var renewing = config.priceList()
                .map(named -> new Loop(
                        service.vertx(),
                        service.reconcilers()
                                .add("model-price-list", "takes a newer price list from where the operator said"),
                        "PostgreSQL, or whoever publishes the list",
                        PRICE_LIST,
                        prices::renew));
        Gauge.builder("molecule.model.calls.under.way", calls, ModelCalls::underWay)
                .register(service.meters());
        Gauge.builder("molecule.model.calls.waiting", calls, ModelCalls::waiting)
                .register(service.meters());
        Gauge.builder("molecule.model.request.bytes", calls, ModelCalls::bytesHeld)
                .register(service.meters());
        Gauge.builder("molecule.model.answer.bytes", calls, ModelCalls::answerBytesHeld)
                .register(service.meters());
        return new Models(
                new ModelDoor(guards, open),
                new ModelDoorRoutes(calls),
                usage,
                spending,
                calls,
                ledger,
                prices,
                levels,
                renewing);
    }

    /** Where the chart is not to be had, nobody knows now where it is to be told. */
    private static Future<Integer> capLevel(PgCapLevels caps, OrgChartCache charts) {
        return caps.isDue()
                .compose(due -> due
                        ? charts.current()
                                .transform(chart -> chart.failed()
                                        ? Future.succeededFuture(0)
                                        : caps.tell(LocalDate.now(ZoneOffset.UTC), chart.result()))
                        : Future.succeededFuture(0));
    }

    /** Fails with a sentence when calls are to be recorded or replayed and cannot be. */
    public Future<?> ready() {
        return calls.ready();
    }

    public Models start() {
        ledger.start();
        levels.start();
        renewing.ifPresent(loop -> loop.start().poke());
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

    public ModelAliasRoutes aliases() {
        return new ModelAliasRoutes(calls.aliases(), calls.table());
    }

    public ModelPriceRoutes prices() {
        return new ModelPriceRoutes(prices);
    }

    /** Serves {@link ModelSpend}: what each of them spent in a month. */
    public Future<ModelSpend.Spent> spent(ModelSpend question) {
        return spending.spent(question);
    }

    /** Serves {@link TeamSpend}: what each team spent in its period. */
    public Future<TeamSpend.Spent> spent(TeamSpend question) {
        return spending.spent(question);
    }

    /** Ends the calls that are still under way and writes down what they cost. */
    public Future<?> stop() {
        renewing.ifPresent(Loop::stop); // nobody waits for whoever publishes a list
        return calls.stop().eventually(() -> Future.join(levels.stop(), ledger.stop(LAST_ROWS)));
    }
}
