package ai.molecule.registry.heartbeats;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.loops.GroupCommit;
import ai.molecule.registry.discovery.PeerBook;
import ai.molecule.registry.heartbeats.PgHeartbeatStore.Recorded;
import ai.molecule.registry.heartbeats.PgHeartbeatStore.Standing;
import ai.molecule.registry.heartbeats.PgHeartbeatStore.Standings;
import ai.molecule.registry.keys.OrganisationKeys;
import ai.molecule.registry.lifecycle.Announcements;
import ai.molecule.registry.lifecycle.StatusChange;
import ai.molecule.registry.tokens.PgTokenStore.Fate;
import ai.molecule.registry.tokens.TokenService;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Heartbeats, committed in groups: what arrives while one group is being committed makes up the next, so under load many share
 * a commit and alone one waits for nothing. Answered after the commit. To be used on one event loop.
 */
public final class HeartbeatService {

    /** How often a decision is taken anew because the status changed between reading and applying it. */
    private static final int DECISIONS_MAX = 3;

    /** An agent may send a mebibyte with each heartbeat, and one statement carries a whole group. */
    private static final GroupCommit.Bounds BOUNDS = new GroupCommit.Bounds(
            1_000, 8L * 1024 * 1024, 10_000, 32L * 1024 * 1024, Duration.ZERO, Duration.ofSeconds(20));

    private static final ApiError FULL =
            new ApiError(ApiError.Kind.UNAVAILABLE, "too many heartbeats are waiting", Map.of("retry_after", 5));

    /** Between the commit and the answer; about 100 bytes each. */
    private static final int TOLD_MAX = 20_000;

    /**
     * What an agent hears, to check pair tokens with, and to ask for other values of its secrets.
     *
     * @param at the platform's time
     * @param branchVersion the newest change of who may talk to it; 0 also for one that is unknown or removed
     * @param keysVersion another one when other keys are published
     * @param secretsVersion another one when secrets that may concern it changed; 0 where it was told none
     */
    record Heard(Instant at, long branchVersion, String keysVersion, long secretsVersion) {}

    private record Told(long branchVersion, long secretsVersion) {

        static final Told NOTHING = new Told(0, 0);
    }

    private final PgHeartbeatStore store;
    private final TokenService tokens;
    private final Guards guards;
    private final Announcements announcements;
    private final PeerBook peers;
    private final OrganisationKeys keys;
    private final Clock clock;
    private final HeartbeatEvents pulse;
    private final CapacityHints capacity;
    private final GroupCommit<Heartbeat> groups;
    private final BranchVersions branches = new BranchVersions();
    private final Cache<UUID, Told> told =
            Caffeine.newBuilder().maximumSize(TOLD_MAX).executor(Runnable::run).build();

    public HeartbeatService(
            Vertx vertx,
            PgHeartbeatStore store,
            TokenService tokens,
            Guards guards,
            Announcements announcements,
            PeerBook peers,
            OrganisationKeys keys,
            Bus bus,
            Clock clock) {
        this.store = store;
        this.tokens = tokens;
        this.guards = guards;
        this.announcements = announcements;
        this.peers = peers;
        this.keys = keys;
        this.clock = clock;
        this.pulse = new HeartbeatEvents(bus);
        this.capacity = new CapacityHints(bus, store, clock);
        this.groups = new GroupCommit<>(vertx, BOUNDS, Heartbeat::chars, FULL, this::commit);
    }

    /** Completes once the heartbeat is committed, also for an unknown or removed workspace, which it does not change. */
    Future<Heard> beat(Heartbeat heartbeat, @Nullable String bearer) {
        var id = heartbeat.workspaceId();
        return guards.agent(bearer, id)
                .recover(refused -> answerTheRemoved(refused, bearer, id))
                .compose(caller -> tokens.verify(bearer, id))
                .compose(verdict ->
                        groups.add(heartbeat.from(id.equals(verdict.workspaceHolder()) ? verdict.incarnation() : null)))
                .map(committed -> {
                    var known = Objects.requireNonNullElse(told.getIfPresent(id), Told.NOTHING);
                    return new Heard(clock.instant(), known.branchVersion, keys.version(), known.secretsVersion);
                });
    }

    /** An agent that says nothing of itself answered when it was asked; counts as a heartbeat that says that all is well. */
    public Future<Void> answered(UUID workspaceId) {
        return groups.add(Heartbeat.ofAnswer(workspaceId)).mapEmpty();
    }

    /** An agent that was deleted is told so by its state, not by a refusal here that would have it join anew. */
    private Future<Caller> answerTheRemoved(Throwable refused, @Nullable String bearer, UUID id) {
        return bearer == null
                ? Future.failedFuture(refused)
                : tokens.fateOf(bearer, id)
                        .compose(fate -> fate == Fate.REMOVED
                                ? Future.succeededFuture(Caller.ANONYMOUS)
                                : tokens.explain(refused, bearer, id));
    }

    private Future<Void> commit(List<Heartbeat> group) {
        Map<UUID, List<Heartbeat>> arrived = new TreeMap<>();
        group.forEach(heartbeat -> arrived.computeIfAbsent(heartbeat.workspaceId(), id -> new ArrayList<>())
                .add(heartbeat));
        var last = arrived.values().stream().map(List::getLast).toList();
        var now = clock.instant();
        return store.record(last, now)
                .onSuccess(before ->
                        last.forEach(heartbeat -> peers.reported(heartbeat.workspaceId(), heartbeat.activeTasks())))
                .compose(before -> judge(arrived, before.keySet(), 1).map(before))
                .compose(before -> tellSpend(before).map(before))
                .map(before -> {
                    announcements.alive(before.keySet());
                    capacity.heard(before.keySet());
                    last.forEach(heartbeat -> {
                        var known = before.get(heartbeat.workspaceId());
                        if (known != null) {
                            pulse.show(heartbeat, known.taskBefore(), now);
                        }
                    });
                    return null;
                });
    }

    /** Whoever remembers that a workspace can pay, or cannot, hears when that changes. */
    private Future<Void> tellSpend(Map<UUID, Recorded> recorded) {
        Map<UUID, Recorded> spent = new TreeMap<>(recorded);
        spent.values().removeIf(one -> !one.spent());
        return spent.isEmpty()
                ? Future.succeededFuture()
                : store.crossedLimits(spent).onSuccess(announcements::changed).mapEmpty();
    }

    private Future<Void> judge(Map<UUID, List<Heartbeat>> arrived, Collection<UUID> ids, int decision) {
        if (ids.isEmpty()) {
            return Future.succeededFuture();
        }
        return store.standings(ids, branches.since())
                .compose(this::learnBranches)
                .map(standings -> changesOf(arrived, standings))
                .compose(changes -> apply(arrived, changes, decision));
    }

    private Future<Map<UUID, Standing>> learnBranches(Standings read) {
        branches.heard(read.changes(), read.open());
        var standings = read.byWorkspace();
        var unknown = branches.unknown(standings);
        var learned = unknown.isEmpty()
                ? Future.succeededFuture()
                : store.newestChanges(unknown).onSuccess(branches::learned);
        return learned.map(known -> {
            standings.forEach((id, standing) ->
                    told.put(id, new Told(branches.of(id, standing.parentId()), standing.secretsVersion())));
            return standings;
        });
    }

    private Future<Void> apply(Map<UUID, List<Heartbeat>> arrived, List<StatusChange> changes, int decision) {
        if (changes.isEmpty()) {
            return Future.succeededFuture();
        }
        return store.transition(changes, clock.instant()).compose(changed -> {
            announcements.changed(changed);
            Set<UUID> overtaken = new HashSet<>();
            changes.forEach(change -> overtaken.add(change.workspaceId()));
            changed.forEach(applied -> overtaken.remove(applied.workspaceId()));
            return decision < DECISIONS_MAX ? judge(arrived, overtaken, decision + 1) : Future.succeededFuture();
        });
    }

    private static List<StatusChange> changesOf(Map<UUID, List<Heartbeat>> arrived, Map<UUID, Standing> standings) {
        return standings.entrySet().stream()
                .map(entry -> HealthJudgement.judge(entry.getValue(), arrived.getOrDefault(entry.getKey(), List.of())))
                .flatMap(Optional::stream)
                .toList();
    }
}
