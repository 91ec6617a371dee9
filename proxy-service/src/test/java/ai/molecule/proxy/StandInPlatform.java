package ai.molecule.proxy;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Tokens;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.events.AppendActivity;
import ai.molecule.common.bus.events.AppendActivity.Appended;
import ai.molecule.common.bus.events.AppendActivity.Row;
import ai.molecule.common.bus.events.UpsertActivity;
import ai.molecule.common.bus.events.UpsertActivity.Upserted;
import ai.molecule.common.bus.provisioner.IsRunning;
import ai.molecule.common.bus.registry.BudgetOf;
import ai.molecule.common.bus.registry.ResolveRoute;
import ai.molecule.common.bus.registry.ResolveRoute.Route;
import ai.molecule.common.bus.registry.SecretsFor;
import ai.molecule.common.bus.registry.TouchOutbound;
import ai.molecule.common.bus.registry.VerifyToken;
import ai.molecule.common.bus.registry.VerifyToken.Holder;
import ai.molecule.common.bus.registry.VerifyToken.Standing;
import ai.molecule.common.bus.registry.VerifyToken.Verdict;
import ai.molecule.common.events.LiveEvent;
import ai.molecule.common.json.Json;
import ai.molecule.common.workspaces.Delivery;
import ai.molecule.common.workspaces.WorkspaceStatus;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The other services as far as the proxy sees them: their bus contracts, with what a test put in and what the proxy told. */
public final class StandInPlatform {

    public final Bus bus;
    public final List<Row> rows = new CopyOnWriteArrayList<>();
    public final Map<UUID, Row> upserted = new ConcurrentHashMap<>();
    public final List<LiveEvent> live = new CopyOnWriteArrayList<>();
    public final List<UUID> outbound = new CopyOnWriteArrayList<>();
    public final List<String> order = new CopyOnWriteArrayList<>();
    public final List<ResolveRoute> resolved = new CopyOnWriteArrayList<>();
    public final AtomicInteger refused = new AtomicInteger();
    /** Of everybody, by name. */
    public final Map<String, String> secrets = new ConcurrentHashMap<>();

    /** Limits in cents. */
    public final Map<UUID, Long> budgets = new ConcurrentHashMap<>();

    public volatile long reportedCents;
    public volatile boolean away;
    public volatile IsRunning.Verdict engineSays = IsRunning.Verdict.UNKNOWN;
    public volatile Function<AppendActivity, Future<Appended>> activity = this::store;

    private final Map<UUID, Route> routes = new ConcurrentHashMap<>();
    private final Map<String, UUID> tokens = new ConcurrentHashMap<>();
    private final Set<UUID> suspended = ConcurrentHashMap.newKeySet();
    private final Set<Set<UUID>> friends = ConcurrentHashMap.newKeySet();
    private final Set<UUID> written = new HashSet<>();
    private final Set<String> keys = new HashSet<>();

    public StandInPlatform(Vertx vertx) {
        bus = new Bus(vertx);
        Future.all(List.of(
                        bus.serve(ResolveRoute.CONTRACT, this::resolve),
                        bus.serve(VerifyToken.CONTRACT, this::verify),
                        bus.serve(
                                SecretsFor.CONTRACT,
                                asked -> Future.succeededFuture(new SecretsFor.Bundle(Map.copyOf(secrets), List.of()))),
                        bus.serve(
                                BudgetOf.CONTRACT,
                                asked -> Future.succeededFuture(
                                        new BudgetOf.Standing(budgets.get(asked.workspaceId()), reportedCents))),
                        bus.serve(AppendActivity.CONTRACT, rows -> activity.apply(rows)),
                        bus.serve(UpsertActivity.CONTRACT, this::upsert),
                        bus.serve(
                                IsRunning.CONTRACT, asked -> Future.succeededFuture(new IsRunning.Answer(engineSays))),
                        bus.serve(TouchOutbound.CONTRACT, touched -> {
                            outbound.addAll(touched.workspaceIds());
                            return Future.succeededFuture(new TouchOutbound.Touched(1));
                        }),
                        bus.listen(LiveEvent.HINT, event -> {
                                    live.add(asClientsReadIt(event));
                                    order.add(event.type());
                                })
                                .completion()))
                .await();
    }

    /** A workspace whose agent our provisioner started. */
    public UUID workspaceAt(String url) {
        return workspace(url, true, WorkspaceStatus.ONLINE, false);
    }

    private static LiveEvent asClientsReadIt(LiveEvent event) {
        var payload = (ObjectNode) Json.stored(Json.text(event.payload()));
        return new LiveEvent(event.type(), event.workspaceId(), event.timestamp(), payload);
    }

    public UUID workspace(String url, boolean provisioned, WorkspaceStatus status, boolean budgetExceeded) {
        var id = UUID.randomUUID();
        put(id, url, provisioned, status, budgetExceeded);
        return id;
    }

    public void put(UUID id, String url, boolean provisioned, WorkspaceStatus status, boolean budgetExceeded) {
        routes.put(
                id,
                new Route(
                        true,
                        true,
                        "planner",
                        url,
                        provisioned,
                        Delivery.of(url),
                        status,
                        false,
                        budgetExceeded,
                        "echo",
                        1,
                        1));
    }

    public @Nullable String urlOf(UUID workspace) {
        var route = routes.get(workspace);
        return route == null ? null : route.url();
    }

    /** As when a person takes it out of everything; without the hint that tells so. */
    public void quarantine(UUID workspace) {
        routes.computeIfPresent(
                workspace,
                (id, old) -> new Route(
                        true,
                        true,
                        old.name(),
                        old.url(),
                        old.provisioned(),
                        old.delivery(),
                        WorkspaceStatus.PAUSED,
                        true,
                        false,
                        old.runtime(),
                        old.incarnation(),
                        old.version() + 1));
    }

    /** From now on its tokens are those of a paused workspace. */
    public void suspend(UUID workspace) {
        suspended.add(workspace);
    }

    public void mayTalk(UUID one, UUID other) {
        friends.add(Set.of(one, other));
    }

    public String tokenOf(UUID workspace) {
        String token = Tokens.mint();
        tokens.put(Base64.getEncoder().encodeToString(Tokens.hash(token)), workspace);
        return token;
    }

    /** Stores as events-service does: a row once by its id, and once by its key. */
    public synchronized Future<Appended> store(AppendActivity batch) {
        int count = 0;
        for (var row : batch.rows()) {
            boolean keyed = row.idempotencyKey() == null || keys.add(row.workspaceId() + row.idempotencyKey());
            if (keyed && written.add(row.id())) {
                rows.add(row);
                order.add("row " + row.status());
                count++;
            }
        }
        return Future.succeededFuture(new Appended(count));
    }

    /** As events-service does: a row's status only goes on. */
    private synchronized Future<Upserted> upsert(UpsertActivity batch) {
        batch.rows()
                .forEach(row -> upserted.merge(row.id(), row, (old, fresh) -> rank(fresh) > rank(old) ? fresh : old));
        return Future.succeededFuture(new Upserted(batch.rows().size()));
    }

    private static int rank(Row row) {
        int known = List.of("pending", "dispatched", "queued").indexOf(row.status());
        return known < 0 ? 3 : known;
    }

    private Future<Route> resolve(ResolveRoute question) {
        resolved.add(question);
        if (away) {
            refused.incrementAndGet();
            return Future.failedFuture(ApiError.platformUnavailable());
        }
        var caller = question.caller();
        boolean allowed = caller == null || friends.contains(Set.of(caller, question.target()));
        var known = routes.get(question.target());
        if (known == null) {
            return Future.succeededFuture(new Route(
                    false,
                    caller == null,
                    "",
                    null,
                    false,
                    Delivery.PUSH,
                    WorkspaceStatus.OFFLINE,
                    false,
                    false,
                    "",
                    0,
                    0));
        }
        return Future.succeededFuture(new Route(
                true,
                allowed,
                known.name(),
                known.url(),
                known.provisioned(),
                known.delivery(),
                known.status(),
                known.quarantined(),
                known.budgetExceeded(),
                known.runtime(),
                known.incarnation(),
                known.version()));
    }

    private Future<Verdict> verify(VerifyToken question) {
        var holder = question.tokenHash() == null ? null : tokens.get(question.tokenHash());
        boolean hasOne = question.workspaceId() != null && tokens.containsValue(question.workspaceId());
        return Future.succeededFuture(new Verdict(
                holder == null ? Holder.NOBODY : Holder.WORKSPACE,
                holder,
                null,
                holder != null && suspended.contains(holder) ? Standing.SUSPENDED : Standing.ADMITTED,
                null,
                !tokens.isEmpty(),
                hasOne));
    }
}
