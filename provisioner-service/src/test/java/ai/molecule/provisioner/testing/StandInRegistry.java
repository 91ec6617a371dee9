package ai.molecule.provisioner.testing;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Tokens;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.CollapseWorkspace;
import ai.molecule.common.bus.registry.CreateWorkspaces;
import ai.molecule.common.bus.registry.DescribeBranch;
import ai.molecule.common.bus.registry.GlobalSecretNames;
import ai.molecule.common.bus.registry.IssueStartToken;
import ai.molecule.common.bus.registry.ListManaged;
import ai.molecule.common.bus.registry.ManagedWorkspace;
import ai.molecule.common.bus.registry.ManagedWorkspace.Desired;
import ai.molecule.common.bus.registry.RecordEndpoint;
import ai.molecule.common.bus.registry.RemoveWorkspace;
import ai.molecule.common.bus.registry.ResolveRoute;
import ai.molecule.common.bus.registry.RestartSoon;
import ai.molecule.common.bus.registry.SecretsFor;
import ai.molecule.common.bus.registry.SetDesired;
import ai.molecule.common.bus.registry.Transition;
import ai.molecule.common.bus.registry.VerifyToken;
import ai.molecule.common.workspaces.Delivery;
import ai.molecule.common.workspaces.WorkspaceStatus;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The registry's contracts on a local bus, kept in memory, as their Javadoc says. */
public final class StandInRegistry {

    private final Map<UUID, ManagedWorkspace> workspaces = new TreeMap<>(Comparator.comparing(UUID::toString));
    private final List<Transition> transitions = new ArrayList<>();
    private final List<RecordEndpoint> endpoints = new ArrayList<>();
    private final List<SetDesired> wishes = new ArrayList<>();
    private final List<CreateWorkspaces> creations = new ArrayList<>();
    private final List<IssueStartToken> tokens = new ArrayList<>();
    private final List<UUID> restartsAsked = new ArrayList<>();
    private final Map<String, UUID> bearers = new HashMap<>();
    private SecretsFor.Bundle secrets = new SecretsFor.Bundle(Map.of(), List.of());
    private final List<CreateWorkspaces.Item> created = new ArrayList<>();
    private List<String> globalSecrets = List.of();
    private boolean away;
    private Wire wire = Wire.WHOLE;

    /** What every call passes on its way here: where tests lose it. */
    public interface Wire {
        Wire WHOLE = new Wire() {
            @Override
            public <T> Future<T> pass(Supplier<Future<T>> effect) {
                return effect.get();
            }
        };

        <T> Future<T> pass(Supplier<Future<T>> effect);
    }

    public synchronized void wire(Wire next) {
        wire = next;
    }

    public static StandInRegistry on(Vertx vertx) {
        var registry = new StandInRegistry();
        var bus = new Bus(vertx);
        Future.all(List.of(
                        bus.serve(ListManaged.CONTRACT, registry.answering(registry::list)),
                        bus.serve(IssueStartToken.CONTRACT, registry.answering(registry::issue)),
                        bus.serve(CreateWorkspaces.CONTRACT, registry.answering(registry::createAll)),
                        bus.serve(
                                GlobalSecretNames.CONTRACT,
                                registry.answering(question -> new GlobalSecretNames.Names(registry.globalSecrets))),
                        bus.serve(DescribeBranch.CONTRACT, registry.answering(registry::describe)),
                        bus.serve(SecretsFor.CONTRACT, registry.answering(question -> registry.secrets)),
                        bus.serve(RecordEndpoint.CONTRACT, registry.answering(registry::record)),
                        bus.serve(Transition.CONTRACT, registry.answering(registry::transition)),
                        bus.serve(ResolveRoute.CONTRACT, registry.answering(registry::route)),
                        bus.serve(CollapseWorkspace.CONTRACT, registry.answering(registry::collapse)),
                        bus.serve(RemoveWorkspace.CONTRACT, registry.answering(registry::removeBranch)),
                        bus.serve(SetDesired.CONTRACT, registry.answering(registry::setDesired)),
                        bus.serve(RestartSoon.CONTRACT, registry.answering(registry::restartSoon)),
                        bus.serve(VerifyToken.CONTRACT, registry.answering(registry::verify))))
                .await();
        return registry;
    }

    public synchronized UUID create(String runtime) {
        return create(runtime, null);
    }

    public synchronized UUID create(String runtime, @Nullable UUID parentId) {
        return create("Agent \"" + UUID.randomUUID() + "\"", runtime, null, parentId);
    }

    public synchronized UUID create(String name, String runtime, @Nullable String template, @Nullable UUID parentId) {
        var id = UUID.randomUUID();
        workspaces.put(
                id,
                new ManagedWorkspace(
                        id,
                        name,
                        "tests: things",
                        2,
                        runtime,
                        null,
                        template,
                        parentId,
                        null,
                        "none",
                        WorkspaceStatus.PROVISIONING,
                        Desired.RUNNING,
                        1,
                        Instant.now(),
                        null,
                        1));
        return id;
    }

    /** What every agent is told from its next start on. */
    public synchronized void secrets(Map<String, String> values) {
        secrets = new SecretsFor.Bundle(values, List.of());
    }

    public synchronized void undecryptable(String failedKey) {
        secrets = new SecretsFor.Bundle(Map.of(), List.of(failedKey));
    }

    /** From now on this bearer is the workspace's. */
    public synchronized void bearer(String token, UUID id) {
        bearers.put(Base64.getEncoder().encodeToString(Tokens.hash(token)), id);
    }

    /** Not answering at all: every call fails. */
    public synchronized void goAway(boolean gone) {
        away = gone;
    }

    public synchronized void remove(UUID id) {
        change(id, WorkspaceStatus.REMOVED, Desired.REMOVED, 0);
    }

    public synchronized void pause(UUID id) {
        change(id, WorkspaceStatus.PAUSED, Desired.PAUSED, 0);
    }

    /** As if a person asked for a restart. */
    public synchronized void restart(UUID id) {
        change(id, WorkspaceStatus.PROVISIONING, Desired.RUNNING, 1);
    }

    /** As if the agent had sent a heartbeat. */
    public synchronized void online(UUID id) {
        change(id, WorkspaceStatus.ONLINE, Desired.RUNNING, 0);
    }

    /** As if it had fallen silent. */
    public synchronized void offline(UUID id) {
        change(id, WorkspaceStatus.OFFLINE, Desired.RUNNING, 0);
    }

    public synchronized void runtime(UUID id, String runtime) {
        var before = get(id);
        workspaces.put(id, with(before, before.status(), before.desired(), before.incarnation(), runtime));
    }

    public synchronized void forget(UUID id) {
        workspaces.remove(id);
    }

    public synchronized Optional<ManagedWorkspace> find(UUID id) {
        return Optional.ofNullable(workspaces.get(id));
    }

    public synchronized ManagedWorkspace get(UUID id) {
        var found = workspaces.get(id);
        if (found == null) {
            throw new IllegalArgumentException("no workspace " + id);
        }
        return found;
    }

    public synchronized List<Transition> transitions() {
        return List.copyOf(transitions);
    }

    public synchronized List<RecordEndpoint> endpoints() {
        return List.copyOf(endpoints);
    }

    public synchronized List<SetDesired> wishes() {
        return List.copyOf(wishes);
    }

    public synchronized List<CreateWorkspaces> creations() {
        return List.copyOf(creations);
    }

    /** Whom a restart was asked for that is to come when changes have paused; here none comes. */
    public synchronized List<UUID> restartsAsked() {
        return List.copyOf(restartsAsked);
    }

    public synchronized List<IssueStartToken> tokens() {
        return List.copyOf(tokens);
    }

    /** What batches asked for, in their order. */
    public synchronized List<CreateWorkspaces.Item> created() {
        return List.copyOf(created);
    }

    /** As if nothing had been asked for yet; what there is, is removed. */
    public synchronized void forgetAll() {
        created.clear();
        wishes.clear();
        List.copyOf(workspaces.keySet()).forEach(this::remove);
        globalSecrets = List.of();
    }

    public synchronized void globalSecrets(String... names) {
        globalSecrets = List.of(names);
    }

    private CreateWorkspaces.Created createAll(CreateWorkspaces request) {
        creations.add(request);
        for (var item : request.workspaces()) {
            var agent = item.agent();
            if (item.name().contains("\n")) {
                throw ApiError.invalid(
                        "workspace \"%s\": name must not contain newline characters".formatted(item.name()));
            }
            created.add(item);
            if (!agent.external()) {
                workspaces.put(
                        item.id(),
                        new ManagedWorkspace(
                                item.id(),
                                item.name(),
                                item.role(),
                                agent.tier(),
                                String.valueOf(agent.runtime()),
                                agent.model(),
                                agent.template(),
                                item.parentId(),
                                agent.workspaceDir(),
                                "none",
                                item.start() ? WorkspaceStatus.PROVISIONING : WorkspaceStatus.PAUSED,
                                item.start() ? Desired.RUNNING : Desired.PAUSED,
                                1,
                                null,
                                null,
                                1));
            }
        }
        return new CreateWorkspaces.Created(request.workspaces().stream()
                .map(item -> new CreateWorkspaces.Entry(
                        item.id(), item.start() ? WorkspaceStatus.PROVISIONING : WorkspaceStatus.PAUSED))
                .toList());
    }

    private DescribeBranch.Branch describe(DescribeBranch question) {
        List<DescribeBranch.Member> members = new ArrayList<>();
        for (var item : created) {
            boolean below = members.stream().anyMatch(member -> member.id().equals(item.parentId()));
            if (below || item.id().equals(question.workspaceId())) {
                var agent = item.agent();
                members.add(new DescribeBranch.Member(
                        item.id(),
                        item.parentId(),
                        item.name(),
                        item.role(),
                        agent.tier(),
                        String.valueOf(agent.runtime()),
                        agent.model(),
                        agent.external(),
                        agent.url() == null ? "" : agent.url(),
                        agent.maxConcurrentTasks(),
                        item.agentCard()));
            }
        }
        return new DescribeBranch.Branch(members);
    }

    private <Q extends Record, A extends Record> Function<Q, Future<A>> answering(Function<Q, A> service) {
        return question -> {
            synchronized (this) {
                return away
                        ? Future.failedFuture(ApiError.unavailable("away"))
                        : wire.pass(() -> Future.succeededFuture(service.apply(question)));
            }
        };
    }

    private ListManaged.Page list(ListManaged question) {
        var after = question.after();
        return new ListManaged.Page(workspaces.values().stream()
                .filter(workspace -> question.id() == null || workspace.id().equals(question.id()))
                .filter(workspace -> after == null || workspace.id().toString().compareTo(after.toString()) > 0)
                .limit(question.limit())
                .toList());
    }

    private ResolveRoute.Route route(ResolveRoute question) {
        var found = workspaces.get(question.target());
        return found == null
                ? new ResolveRoute.Route(
                        false, false, "", null, false, Delivery.PUSH, WorkspaceStatus.REMOVED, false, "", 0, 0)
                : new ResolveRoute.Route(
                        true,
                        true,
                        found.name(),
                        null,
                        false,
                        Delivery.PUSH,
                        found.status(),
                        false,
                        found.runtime(),
                        found.incarnation(),
                        found.version());
    }

    private IssueStartToken.Issued issue(IssueStartToken question) {
        if (get(question.workspaceId()).incarnation() != question.incarnation()) {
            throw ApiError.conflict("incarnation is no longer current");
        }
        tokens.add(question);
        return new IssueStartToken.Issued("token-" + tokens.size());
    }

    private RecordEndpoint.Recorded record(RecordEndpoint endpoint) {
        endpoints.add(endpoint);
        return new RecordEndpoint.Recorded(get(endpoint.workspaceId()).incarnation() == endpoint.incarnation());
    }

    private Transition.Outcome transition(Transition transition) {
        var before = get(transition.workspaceId());
        boolean applies = before.incarnation() == transition.expectedIncarnation()
                && before.status() != transition.to()
                && before.desired() == Desired.RUNNING;
        if (applies) {
            transitions.add(transition);
            change(before.id(), transition.to(), before.desired(), 0);
        }
        return new Transition.Outcome(applies, get(before.id()).status());
    }

    private RemoveWorkspace.Removed removeBranch(RemoveWorkspace request) {
        List<UUID> removed = new ArrayList<>();
        if (workspaces.containsKey(request.workspaceId())) {
            removed.add(request.workspaceId());
        }
        for (int i = 0; i < removed.size(); i++) {
            var parent = removed.get(i);
            workspaces.values().stream()
                    .filter(other -> parent.equals(other.parentId()))
                    .forEach(child -> removed.add(child.id()));
        }
        removed.forEach(this::remove);
        return new RemoveWorkspace.Removed(removed);
    }

    private CollapseWorkspace.Collapsed collapse(CollapseWorkspace request) {
        if (!workspaces.containsKey(request.workspaceId())) {
            throw ApiError.notFound("workspace not found");
        }
        var below = workspaces.values().stream()
                .filter(other -> request.workspaceId().equals(other.parentId()))
                .toList();
        below.forEach(child -> remove(child.id()));
        return new CollapseWorkspace.Collapsed(
                below.stream().map(ManagedWorkspace::name).toList(),
                below.stream().map(ManagedWorkspace::id).toList());
    }

    private VerifyToken.Verdict verify(VerifyToken question) {
        var holder = question.tokenHash() == null ? null : bearers.get(question.tokenHash());
        return new VerifyToken.Verdict(
                holder == null ? VerifyToken.Holder.NOBODY : VerifyToken.Holder.WORKSPACE,
                holder,
                null,
                null,
                true,
                question.workspaceId() == null || bearers.containsValue(question.workspaceId()));
    }

    private RestartSoon.Asked restartSoon(RestartSoon question) {
        restartsAsked.add(question.workspaceId());
        return new RestartSoon.Asked(true);
    }

    private SetDesired.Done setDesired(SetDesired wish) {
        var before = workspaces.get(wish.workspaceId());
        if (before == null || before.desired() == Desired.REMOVED) {
            throw ApiError.notFound("workspace not found");
        }
        var expected = wish.expectedIncarnation();
        if (expected != null && expected != before.incarnation()) {
            return new SetDesired.Done(List.of());
        }
        wishes.add(wish);
        List<UUID> changed = new ArrayList<>(List.of(before.id()));
        workspaces.values().stream()
                .filter(other -> before.id().equals(other.parentId()))
                .map(ManagedWorkspace::id)
                .forEach(changed::add);
        switch (wish.action()) {
            case RESTART -> {
                change(before.id(), WorkspaceStatus.PROVISIONING, Desired.RUNNING, 1);
                if (wish.runtime() != null) {
                    runtime(before.id(), wish.runtime());
                }
                return new SetDesired.Done(List.of(before.id()));
            }
            case PAUSE -> changed.forEach(this::pause);
            case RESUME -> changed.forEach(this::restart);
        }
        return new SetDesired.Done(changed);
    }

    private void change(UUID id, WorkspaceStatus status, Desired desired, int incarnations) {
        var before = get(id);
        workspaces.put(id, with(before, status, desired, before.incarnation() + incarnations, before.runtime()));
    }

    private static ManagedWorkspace with(
            ManagedWorkspace before, WorkspaceStatus status, Desired desired, int incarnation, String runtime) {
        return new ManagedWorkspace(
                before.id(),
                before.name(),
                before.role(),
                before.tier(),
                runtime,
                before.model(),
                before.template(),
                before.parentId(),
                before.workspaceDir(),
                before.workspaceAccess(),
                status,
                desired,
                incarnation,
                status == WorkspaceStatus.PROVISIONING ? Instant.now() : null,
                status == WorkspaceStatus.ONLINE ? Instant.now() : before.lastHeartbeatAt(),
                before.version() + 1);
    }
}
