package ai.molecule.provisioner.testing;

import static ai.molecule.provisioner.testing.WorkspaceBuilder.workspace;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Credentials;
import ai.molecule.common.auth.Person;
import ai.molecule.common.auth.Tokens;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.Contract;
import ai.molecule.common.bus.proxy.SetSchedules;
import ai.molecule.common.bus.registry.CheckWorkspaces;
import ai.molecule.common.bus.registry.CollapseWorkspace;
import ai.molecule.common.bus.registry.CreateWorkspaces;
import ai.molecule.common.bus.registry.DescribeBranch;
import ai.molecule.common.bus.registry.GlobalSecretNames;
import ai.molecule.common.bus.registry.IssueStartToken;
import ai.molecule.common.bus.registry.ListManaged;
import ai.molecule.common.bus.registry.ManagedWorkspace;
import ai.molecule.common.bus.registry.RecordEndpoint;
import ai.molecule.common.bus.registry.RemoveWorkspace;
import ai.molecule.common.bus.registry.ResolveRoute;
import ai.molecule.common.bus.registry.RestartSoon;
import ai.molecule.common.bus.registry.SecretsFor;
import ai.molecule.common.bus.registry.SetDesired;
import ai.molecule.common.bus.registry.SetIdleMinutes;
import ai.molecule.common.bus.registry.Transition;
import ai.molecule.common.bus.registry.VerifyToken;
import ai.molecule.common.workspaces.WorkspaceStatus;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The registry's contracts on a local bus, kept in memory, as their Javadoc says. */
public final class StandInRegistry {

    /** What came in batches. */
    public final StandInImports imports = new StandInImports();

    private final StandInWorkspaces workspaces = new StandInWorkspaces();
    private final List<Transition> transitions = new ArrayList<>();
    private final List<RecordEndpoint> endpoints = new ArrayList<>();
    private final List<SetDesired> wishes = new ArrayList<>();
    private final List<IssueStartToken> tokens = new ArrayList<>();
    private final List<SetSchedules> schedules = new ArrayList<>();
    private final List<UUID> restartsAsked = new ArrayList<>();
    private final Map<String, UUID> bearers = new HashMap<>();
    private final Map<String, Person> people = new HashMap<>();
    private @Nullable String unreadable;
    private SecretsFor.Bundle secrets = new SecretsFor.Bundle(Map.of(), List.of());
    private List<String> globalSecrets = List.of();
    private boolean away;
    private Wire wire = Wire.WHOLE;

    private StandInRegistry() {}

    public static StandInRegistry on(Vertx vertx) {
        var registry = new StandInRegistry();
        registry.serve(new Bus(vertx)).await();
        return registry;
    }

    private Future<?> serve(Bus bus) {
        return Future.all(List.of(
                serve(bus, ListManaged.CONTRACT, workspaces::list),
                serve(bus, ResolveRoute.CONTRACT, workspaces::route),
                serve(bus, CollapseWorkspace.CONTRACT, workspaces::collapse),
                serve(bus, RemoveWorkspace.CONTRACT, workspaces::removeBranch),
                serve(bus, SetDesired.CONTRACT, this::setDesired),
                serve(bus, Transition.CONTRACT, this::transition),
                serve(bus, RecordEndpoint.CONTRACT, this::recordEndpoint),
                serve(bus, RestartSoon.CONTRACT, this::restartSoon),
                serve(bus, CreateWorkspaces.CONTRACT, request -> imports.create(request, workspaces)),
                serve(bus, CheckWorkspaces.CONTRACT, imports::check),
                serve(bus, DescribeBranch.CONTRACT, imports::describe),
                serve(bus, SecretsFor.CONTRACT, question -> secretsOrFailure()),
                serve(bus, SetIdleMinutes.CONTRACT, imports::set),
                serve(bus, SetSchedules.CONTRACT, wanted -> {
                    schedules.add(wanted);
                    return new SetSchedules.Done(wanted.schedules().size());
                }),
                serve(bus, GlobalSecretNames.CONTRACT, question -> new GlobalSecretNames.Names(globalSecrets)),
                serve(bus, IssueStartToken.CONTRACT, this::issueToken),
                serve(bus, VerifyToken.CONTRACT, this::verifyToken)));
    }

    private <Q extends Record, A extends Record> Future<?> serve(
            Bus bus, Contract<Q, A> contract, Function<Q, A> service) {
        return bus.serve(contract, question -> {
            synchronized (this) {
                return away
                        ? Future.failedFuture(ApiError.unavailable("away"))
                        : wire.pass(() -> Future.succeededFuture(service.apply(question)));
            }
        });
    }

    /** What the proxy was told that workspaces are told by the clock. */
    public synchronized List<SetSchedules> schedules() {
        return List.copyOf(schedules);
    }

    public synchronized void wire(Wire next) {
        wire = next;
    }

    /** Not answering at all: every call fails. */
    public synchronized void goAway(boolean gone) {
        away = gone;
    }

    /** As if nothing had been asked for yet; the workspaces there are become removed. */
    public synchronized void forgetAll() {
        imports.forgetAll();
        wishes.clear();
        schedules.clear();
        workspaces.removeAll();
        globalSecrets = List.of();
    }

    public synchronized UUID create(String runtime) {
        return create(runtime, null);
    }

    public synchronized UUID create(String runtime, @Nullable UUID parentId) {
        return create("Agent \"" + UUID.randomUUID() + "\"", runtime, null, parentId);
    }

    public synchronized UUID create(String name, String runtime, @Nullable String template, @Nullable UUID parentId) {
        var id = UUID.randomUUID();
        workspaces.put(workspace(id)
                .name(name)
                .role("tests: things")
                .runtime(runtime)
                .template(template)
                .parent(parentId)
                .provisioningSince(Instant.now())
                .build());
        return id;
    }

    /** Nobody's: it registered by itself, and calls its runtime as it likes. */
    public synchronized UUID stranger(String name, String runtime) {
        var id = create(name, runtime, null, null);
        workspaces.stranger(id);
        workspaces.status(id, WorkspaceStatus.ONLINE);
        return id;
    }

    public synchronized void remove(UUID id) {
        workspaces.remove(id);
    }

    public synchronized void forget(UUID id) {
        workspaces.forget(id);
    }

    public synchronized void hibernate(UUID id) {
        workspaces.hibernate(id);
    }

    public synchronized void pause(UUID id) {
        workspaces.pause(id);
    }

    /** As if a person cut it off. */
    public synchronized void quarantine(UUID id) {
        workspaces.quarantine(id);
    }

    /** As if a person asked for a restart. */
    public synchronized void restart(UUID id) {
        workspaces.restart(id);
    }

    /** As if the agent had sent a heartbeat. */
    public synchronized void online(UUID id) {
        workspaces.status(id, WorkspaceStatus.ONLINE);
    }

    /** As if it had fallen silent. */
    public synchronized void offline(UUID id) {
        workspaces.status(id, WorkspaceStatus.OFFLINE);
    }

    /** A person chose another runtime than the agent's config named when it was last read. */
    public synchronized void choose(UUID id, String runtime, String configRuntime) {
        workspaces.choose(id, runtime, configRuntime);
    }

    public synchronized void runtime(UUID id, String runtime) {
        workspaces.runtime(id, runtime);
    }

    public synchronized Optional<ManagedWorkspace> find(UUID id) {
        return Optional.ofNullable(workspaces.find(id));
    }

    public synchronized ManagedWorkspace get(UUID id) {
        return workspaces.get(id);
    }

    /** What every agent is told from its next start on. */
    public synchronized void secrets(Map<String, String> values) {
        secrets = new SecretsFor.Bundle(values, List.of());
    }

    /** From now on a store outside gives no value for this key. */
    public synchronized void unreadable(String key) {
        unreadable = key;
    }

    private synchronized SecretsFor.Bundle secretsOrFailure() {
        if (unreadable != null) {
            throw new ApiError(
                    ApiError.Kind.UNAVAILABLE,
                    unreadable + " cannot be read",
                    Map.of("failed_keys", List.of(unreadable)));
        }
        return secrets;
    }

    public synchronized void undecryptable(String failedKey) {
        secrets = new SecretsFor.Bundle(Map.of(), List.of(failedKey));
    }

    public synchronized void globalSecrets(String... names) {
        globalSecrets = List.of(names);
    }

    /** From now on this bearer is the workspace's. */
    public synchronized void bearer(String token, UUID id) {
        bearers.put(Base64.getEncoder().encodeToString(Tokens.hash(token)), id);
    }

    /** Those that applied. */
    public synchronized List<Transition> transitions() {
        return List.copyOf(transitions);
    }

    public synchronized List<RecordEndpoint> endpoints() {
        return List.copyOf(endpoints);
    }

    /** Whom this bearer proves from now on. */
    public synchronized void person(String bearer, Person person) {
        people.put(Credentials.hashOf(bearer), person);
    }

    /** Those that applied. */
    public synchronized List<SetDesired> wishes() {
        return List.copyOf(wishes);
    }

    /** Whom a restart was asked for that is to come when changes have paused; here none comes. */
    public synchronized List<UUID> restartsAsked() {
        return List.copyOf(restartsAsked);
    }

    public synchronized List<IssueStartToken> tokens() {
        return List.copyOf(tokens);
    }

    private SetDesired.Done setDesired(SetDesired wish) {
        var done = workspaces.setDesired(wish);
        if (!done.changed().isEmpty()) {
            wishes.add(wish);
        }
        return done;
    }

    private Transition.Outcome transition(Transition transition) {
        var outcome = workspaces.transition(transition);
        if (outcome.applied()) {
            transitions.add(transition);
        }
        return outcome;
    }

    private RecordEndpoint.Recorded recordEndpoint(RecordEndpoint endpoint) {
        endpoints.add(endpoint);
        return new RecordEndpoint.Recorded(
                workspaces.get(endpoint.workspaceId()).incarnation() == endpoint.incarnation());
    }

    private RestartSoon.Asked restartSoon(RestartSoon question) {
        restartsAsked.add(question.workspaceId());
        return new RestartSoon.Asked(true);
    }

    private IssueStartToken.Issued issueToken(IssueStartToken question) {
        if (workspaces.get(question.workspaceId()).incarnation() != question.incarnation()) {
            throw ApiError.conflict("incarnation is no longer current");
        }
        tokens.add(question);
        return new IssueStartToken.Issued("token-" + tokens.size());
    }

    private VerifyToken.Verdict verifyToken(VerifyToken question) {
        var person = question.tokenHash() == null ? null : people.get(question.tokenHash());
        if (person != null) {
            return new VerifyToken.Verdict(
                    VerifyToken.Holder.PERSON,
                    null,
                    null,
                    VerifyToken.Standing.ADMITTED,
                    null,
                    true,
                    true,
                    null,
                    person);
        }
        var holder = question.tokenHash() == null ? null : bearers.get(question.tokenHash());
        return new VerifyToken.Verdict(
                holder == null ? VerifyToken.Holder.NOBODY : VerifyToken.Holder.WORKSPACE,
                holder,
                null,
                VerifyToken.Standing.ADMITTED,
                null,
                true,
                question.workspaceId() == null || bearers.containsValue(question.workspaceId()));
    }
}
