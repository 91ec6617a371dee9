package ai.molecule.registry.hibernation;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.proxy.AtWork;
import ai.molecule.common.bus.registry.Hibernate;
import ai.molecule.common.bus.registry.WakeWorkspace;
import ai.molecule.common.leases.RenewalStreak;
import ai.molecule.common.loops.InTurn;
import ai.molecule.common.reconcilers.RunReport;
import ai.molecule.registry.hibernation.PgHibernationStore.Idle;
import ai.molecule.registry.lifecycle.Changed;
import ai.molecule.registry.lifecycle.LifecycleService;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts agents to sleep: because somebody says so, or because they were idle for as long as they may be. */
public final class HibernationService {

    private static final Logger LOGGER = LoggerFactory.getLogger(HibernationService.class);

    /** Of one look; who is left is idle at the next too. */
    static final int AT_ONCE_MAX = 200;

    /** Whom the clock has something for so soon stays up for it. */
    static final Duration AHEAD = Duration.ofMinutes(2);

    /** Several looks long, so that the same replica goes on. */
    private static final Duration CLAIMED_FOR = Duration.ofSeconds(60);

    /** What was decided is told of at once; a look later finds what that missed. */
    private static final Duration ANSWERED_WITHIN = Duration.ofMinutes(10);

    private final PgHibernationStore store;
    private final LifecycleService lifecycle;
    private final Bus bus;
    private final Clock clock;
    private final RenewalStreak streak;
    private final UUID replica = UUID.randomUUID();

    public HibernationService(PgHibernationStore store, LifecycleService lifecycle, Bus bus, Clock clock) {
        this(store, lifecycle, bus, clock, RenewalStreak.trusting(CLAIMED_FOR));
    }

    /** @param streak of its looks: after an outage agents look idle that could not say that they are busy */
    HibernationService(
            PgHibernationStore store, LifecycleService lifecycle, Bus bus, Clock clock, RenewalStreak streak) {
        this.store = store;
        this.lifecycle = lifecycle;
        this.bus = bus;
        this.clock = clock;
        this.streak = streak;
    }

    public PgHibernationStore store() {
        return store;
    }

    /** Serves {@link Hibernate}. */
    public Future<Hibernate.Hibernated> hibernate(Hibernate request) {
        var id = request.workspaceId();
        var asked = request.force() ? Future.<Void>succeededFuture() : refuseAtWork(id);
        return asked.compose(free -> sleep(id, request.force())).map(new Hibernate.Hibernated(id));
    }

    /** What it did, or {@link RunReport.StoodBy} where another replica has the claim. */
    public Future<Object> run() {
        return store.claim(replica, CLAIMED_FOR).compose(look -> {
            streak.renewed(look.at());
            if (!look.mine()) {
                return Future.succeededFuture(RunReport.StoodBy.STOOD_BY);
            }
            return streak.judgesUntil().isPresent()
                    ? look()
                    : wakeAnswered().map("puts nobody to sleep until it has looked without a gap for a minute");
        });
    }

    /** Wakes sleepers that asked a person and were answered. Whoever may not be woken stays as it is. */
    public Future<Integer> wakeAnswered() {
        return store.answered(clock.instant().minus(ANSWERED_WITHIN), AT_ONCE_MAX)
                .compose(ids -> InTurn.each(
                                ids,
                                id -> lifecycle
                                        .wake(new WakeWorkspace(id))
                                        .<Void>mapEmpty()
                                        .otherwiseEmpty())
                        .map(ids.size()));
    }

    /** Lets another replica look at once. */
    public Future<Void> release() {
        return store.release(replica);
    }

    private Future<Object> look() {
        var now = clock.instant();
        return wakeAnswered()
                .compose(woken -> store.idle(now, AT_ONCE_MAX))
                .compose(idle -> idle.isEmpty() ? Future.succeededFuture(List.<Idle>of()) : atRest(idle, now))
                .compose(resting -> InTurn.each(resting, this::sleepIdle).map(resting.size()))
                .map("put %d agents to sleep"::formatted);
    }

    private Future<List<Idle>> atRest(List<Idle> idle, Instant now) {
        var question = new AtWork(idle.stream().map(Idle::id).toList(), (int) AHEAD.toSeconds());
        return bus.call(AtWork.CONTRACT, question).map(answer -> {
            Map<UUID, AtWork.One> known = answer.workspaces().stream()
                    .collect(Collectors.toMap(AtWork.One::workspaceId, Function.identity()));
            return idle.stream()
                    .filter(one -> {
                        var at = known.get(one.id());
                        return at != null && at.why() == null && one.stillWith(at.lastAt(), now);
                    })
                    .toList();
        });
    }

    /** Whoever is at something after all stays up; the next look asks again. */
    private Future<Void> sleepIdle(Idle idle) {
        return sleep(idle.id(), false)
                .onSuccess(changed ->
                        LOGGER.atInfo().addKeyValue("workspaceId", idle.id()).log("idle agent sleeps"))
                .<Void>mapEmpty()
                .recover(failure ->
                        failure instanceof ApiError ? Future.succeededFuture() : Future.failedFuture(failure));
    }

    private Future<Void> refuseAtWork(UUID id) {
        return bus.call(AtWork.CONTRACT, new AtWork(List.of(id), 0)).map(answer -> {
            answer.workspaces().stream()
                    .filter(one -> one.why() != null)
                    .findFirst()
                    .ifPresent(busy -> {
                        throw new ApiError(
                                ApiError.Kind.CONFLICT,
                                "workspace has active tasks; use ?force=true to terminate them",
                                Map.of("active_tasks", 1, "reason", String.valueOf(busy.why())));
                    });
            return null;
        });
    }

    private Future<Changed> sleep(UUID id, boolean force) {
        return store.sleep(id, force, clock.instant())
                .compose(changed -> lifecycle.announce(List.of(changed)).map(changed));
    }
}
