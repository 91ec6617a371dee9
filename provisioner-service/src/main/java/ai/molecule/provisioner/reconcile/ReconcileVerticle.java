package ai.molecule.provisioner.reconcile;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.Reconcile;
import ai.molecule.common.bus.hints.WorkspacesPurged;
import ai.molecule.common.bus.provisioner.EngineHealth;
import ai.molecule.common.bus.provisioner.IsRunning;
import ai.molecule.common.bus.provisioner.IsRunning.Verdict;
import ai.molecule.common.bus.provisioner.RestartSilent;
import ai.molecule.common.db.Postgres;
import ai.molecule.common.reconcilers.RunReport;
import ai.molecule.provisioner.backend.Backend;
import ai.molecule.provisioner.backend.StartDelayed;
import ai.molecule.provisioner.instances.Instance;
import ai.molecule.provisioner.instances.Instance.State;
import ai.molecule.provisioner.instances.InstanceStore;
import ai.molecule.provisioner.notices.NoticeStore;
import ai.molecule.provisioner.templates.AgentConfigs;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import java.time.Clock;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the reconciler going: on every hint, on every exit, when a back-off is over, and in a sweep over everything. To be
 * deployed on virtual threads. Stopping it stops no agent.
 */
public final class ReconcileVerticle extends VerticleBase {

    private static final Logger LOGGER = LoggerFactory.getLogger(ReconcileVerticle.class);

    /** Workspaces looked at, and agents ended, at once. */
    private static final int LOOKS_MAX = 16;

    /** Until the first sweep went through: the registry may be starting too. */
    private static final Duration FIRST_SWEEP_RETRY = Duration.ofSeconds(1);

    /** What is not done by then is completed by the next provisioner. */
    private static final Duration STOP_MAX = Duration.ofSeconds(3);

    private final ReconcileSettings settings;
    private final Bus bus;
    private final InstanceStore instances;
    private final Backend backend;
    private final Lanes lanes;
    private final Clock clock;
    private final Watches watches;
    private final Purged purged = new Purged();
    private final Reconciler reconciler;
    private final Sweep sweep;
    private final RunReport report;

    @SuppressWarnings("NullAway.Init") // set when the verticle starts, before anything else can run
    private Context virtualThreads;

    private volatile boolean stopped;

    /** @param report told after every sweep */
    public ReconcileVerticle(
            ReconcileSettings settings,
            Bus bus,
            InstanceStore instances,
            Backend backend,
            AgentConfigs configs,
            NoticeStore notices,
            RunReport report) {
        this.report = report;
        this.settings = settings;
        this.bus = bus;
        this.instances = instances;
        this.backend = backend;
        this.clock = Clock.systemUTC();
        this.lanes = new Lanes(
                LOOKS_MAX,
                id -> onVirtualThread(id, () -> reconciler().look(id)),
                backend.startsAtOnce(),
                id -> onVirtualThread(id, () -> {
                    reconciler().start(id);
                    return null;
                }));
        var registry = new RegistryCalls(bus);
        this.watches = new Watches(backend, workspaceId -> lookAgain(workspaceId, Duration.ZERO));
        var deaths = new Deaths(
                registry,
                instances,
                backend,
                watches,
                settings.restarts(),
                this::lookAgain,
                clock,
                RandomGenerator.getDefault());
        boolean replayed = settings.agents().providers().isReplayed();
        var contexts = new RestartContexts(time -> vertx.timer(time.toMillis()).mapEmpty(), bus, clock, replayed);
        var starts =
                new Starts(registry, instances, backend, configs, watches, contexts, notices, settings.agents(), clock);
        var steps = new Steps(registry, instances, backend, starts, watches, deaths, clock);
        var vanished = new Vanished(purged::contains);
        var plan = new Plan(settings.provisioningTimeout(), purged::contains, vanished::areMany);
        this.reconciler = new Reconciler(registry, instances, backend, watches, plan, steps, this::lookAgain, clock);
        this.sweep = new Sweep(registry, instances, backend, reconciler, lanes::look, vanished, clock);
    }

    @Override
    public Future<?> start() {
        virtualThreads = context;
        var hints = bus.listen(Reconcile.HINT, hint -> lookAgain(hint.workspaceId(), Duration.ZERO));
        var purges = bus.listen(WorkspacesPurged.HINT, hint -> {
            purged.add(hint.workspaceIds());
            hint.workspaceIds().forEach(id -> lookAgain(id, Duration.ZERO));
        });
        return Future.all(
                        hints.completion(),
                        purges.completion(),
                        bus.serve(IsRunning.CONTRACT, this::isRunning),
                        bus.serve(RestartSilent.CONTRACT, this::restartSilent),
                        bus.serve(EngineHealth.CONTRACT, this::engineHealth))
                .onSuccess(ready -> virtualThreads.runOnContext(begin -> sweepAndGoOn(FIRST_SWEEP_RETRY)));
    }

    /** Lets begun work end, so that no lock outlives it while the database is still open. */
    @Override
    public Future<?> stop() {
        stopped = true;
        return lanes.close().timeout(STOP_MAX.toMillis(), TimeUnit.MILLISECONDS).otherwiseEmpty();
    }

    /** Completes when a look at the workspace that began after this call is done. From any thread. */
    public Future<Void> reconcile(UUID workspaceId) {
        return stopped
                ? Future.failedFuture(new IllegalStateException("the provisioner stops"))
                : lanes.run(workspaceId);
    }

    private void lookAgain(UUID workspaceId, Duration after) {
        if (stopped) {
            return;
        }
        if (after.isZero() || after.isNegative()) {
            lanes.run(workspaceId);
        } else {
            vertx.setTimer(after.toMillis(), due -> lookAgain(workspaceId, Duration.ZERO));
        }
    }

    private Future<IsRunning.Answer> isRunning(IsRunning question) {
        return instances
                .find(question.workspaceId())
                .compose(found -> found.map(this::verdict).orElse(Future.succeededFuture(Verdict.UNKNOWN)))
                .map(IsRunning.Answer::new);
    }

    private Future<Verdict> verdict(Instance instance) {
        return switch (instance.state()) {
            case EXITED, STOPPED -> Future.succeededFuture(Verdict.EXITED);
            // Just being started; or given up, and then perhaps registered by hand.
            case STARTING, FAILED -> Future.succeededFuture(Verdict.UNKNOWN);
            case RUNNING ->
                backend.findAlive(instance.workspaceId(), instance.process()).map(alive -> {
                    if (alive.isPresent()) {
                        return Verdict.RUNNING;
                    }
                    lookAgain(instance.workspaceId(), Duration.ZERO);
                    return Verdict.EXITED;
                });
        };
    }

    private Future<RestartSilent.Answer> restartSilent(RestartSilent request) {
        var id = request.workspaceId();
        return instances.find(id).map(found -> {
            boolean runs = found.filter(instance ->
                            instance.state() == State.RUNNING && instance.incarnation() == request.incarnation())
                    .isPresent();
            if (runs) {
                watches.silent(id, request.incarnation(), clock.instant());
                lookAgain(id, Duration.ZERO);
            }
            return new RestartSilent.Answer(runs);
        });
    }

    private Future<EngineHealth.Answer> engineHealth(EngineHealth question) {
        return backend.ping().map(true).otherwise(false).map(EngineHealth.Answer::new);
    }

    private void sweepAndGoOn(Duration retry) {
        Duration next = retry;
        try {
            report.ended(Future.succeededFuture(sweep.run()));
            next = settings.sweep();
        } catch (Exception away) {
            report.failed(away);
            if (!stopped) {
                LOGGER.atWarn()
                        .addKeyValue("reason", away.toString())
                        .log("sweep could not be done, nothing was changed");
            }
        }
        if (!stopped) {
            var retryThen = next;
            vertx.setTimer(next.toMillis(), due -> sweepAndGoOn(retryThen));
        }
    }

    private Reconciler reconciler() {
        return reconciler;
    }

    private <T extends @Nullable Object> Future<T> onVirtualThread(UUID workspaceId, Callable<T> work) {
        Promise<T> done = Promise.promise();
        virtualThreads.runOnContext(begin -> {
            try {
                done.complete(work.call());
            } catch (Exception failure) {
                report(workspaceId, failure);
                done.fail(failure);
            }
        });
        return done.future();
    }

    private void report(UUID workspaceId, Exception failure) {
        if (stopped) {
            return; // the database is closed under whoever is still at work
        }
        var entry = LOGGER.atWarn().addKeyValue("workspaceId", workspaceId).addKeyValue("reason", failure.toString());
        boolean away =
                failure instanceof ApiError || failure instanceof StartDelayed || Postgres.isUnavailable(failure);
        (away ? entry : entry.setCause(failure)).log("workspace could not be reconciled, it is tried again");
    }
}
