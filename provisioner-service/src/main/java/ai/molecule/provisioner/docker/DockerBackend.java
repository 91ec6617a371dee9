package ai.molecule.provisioner.docker;

import ai.molecule.common.auth.Ids;
import ai.molecule.common.bus.registry.ManagedWorkspace;
import ai.molecule.provisioner.backend.AgentHost;
import ai.molecule.provisioner.backend.AgentProcess;
import ai.molecule.provisioner.backend.Backend;
import ai.molecule.provisioner.backend.FreePorts;
import ai.molecule.provisioner.backend.Launch;
import ai.molecule.provisioner.backend.StartRefused;
import ai.molecule.provisioner.backend.WorkspaceFiles;
import ai.molecule.provisioner.containers.Tier;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Agents as containers. They outlive the provisioner and are recognised by the engine's own id for them. */
public final class DockerBackend implements Backend {

    private static final Pattern RUNTIME = Pattern.compile("[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*");

    private static final int KEPT_MAX = 10_000;

    /** Between two tries to wait for a container's end, when the engine went away meanwhile. */
    private static final Duration WAIT_AGAIN = Duration.ofSeconds(2);

    private final Vertx vertx;
    private final DockerSettings settings;
    private final Engine engine;
    private final Names names;
    private final Containers containers;
    private final Images images;
    private final Volumes volumes;
    private final AgentNetwork network;
    private final EngineMachine machine;
    private final MountsLender mounts;
    private final ToolContainer tools;
    private final DockerFiles files;
    private final FreePorts ports;

    public DockerBackend(Vertx vertx, DockerSettings settings) {
        this(vertx, settings, FreePorts.AGENTS);
    }

    /** @param ports of this machine at which agents are published */
    public DockerBackend(Vertx vertx, DockerSettings settings, FreePorts ports) {
        this.vertx = vertx;
        this.settings = settings;
        this.ports = ports;
        this.engine = new Engine(vertx, settings.socket());
        this.names = new Names(settings.platform());
        this.containers = new Containers(engine);
        this.images = new Images(engine, settings);
        this.volumes = new Volumes(engine, names);
        this.network = new AgentNetwork(engine, settings);
        this.machine = new EngineMachine(engine);
        var folders = new Folders(containers, names, volumes);
        this.mounts = new MountsLender(engine, names, containers, folders);
        this.tools = new ToolContainer(engine, names, folders, images);
        this.files = new DockerFiles(vertx, engine, mounts, tools, settings.uid());
    }

    @Override
    public WorkspaceFiles files() {
        return files;
    }

    @Override
    public boolean available() {
        return true;
    }

    /** Its engine: replicas beside it have the same. */
    @Override
    public Future<Optional<AgentHost>> host() {
        return machine.host().map(Optional::of);
    }

    @Override
    public Future<Void> ping() {
        return engine.ping();
    }

    /** Whether its image is there, the engine knows. */
    @Override
    public Optional<StartRefused> refusal(String runtime) {
        return RUNTIME.matcher(runtime).matches()
                ? Optional.empty()
                : Optional.of(new StartRefused("runtime \"%s\" cannot run here: it is no name".formatted(runtime)));
    }

    @Override
    public Optional<String> withheld(ManagedWorkspace workspace) {
        var tier = Tier.of(settings.tiers(), workspace.tier());
        return tier.wantsPrivileges() && !settings.privileged()
                ? Optional.of(
                        "agent runs without the privileges of tier %d; MOLECULE_ALLOW_PRIVILEGED=1 would grant them"
                                .formatted(tier.number()))
                : Optional.empty();
    }

    @Override
    public Future<Integer> choosePort(@Nullable Integer last, Set<Integer> taken) {
        return vertx.executeBlocking(() -> ports.choose(last, taken), false);
    }

    @Override
    public String url(UUID workspaceId, int port) {
        return settings.inNetwork() ? internalUrl(workspaceId, port) : "http://127.0.0.1:%d".formatted(port);
    }

    @Override
    public String internalUrl(UUID workspaceId, int port) {
        return "http://%s:%d".formatted(Names.container(workspaceId), AgentContainer.PORT);
    }

    @Override
    public Future<AgentProcess> start(Launch launch) {
        return create(launch)
                .compose(id -> lay(launch)
                        .compose(laid -> containers.run(id))
                        .recover(failure -> containers.remove(id).transform(removed -> Future.failedFuture(failure))))
                .recover(failure -> Future.failedFuture(StartFailures.reasonOf(launch, failure)));
    }

    @Override
    public Future<Void> stop(AgentProcess process) {
        long grace = settings.stopGrace().toSeconds();
        String path = "/containers/%s/stop?t=%d".formatted(Engine.encode(process.id()), grace);
        return engine.call(HttpMethod.POST, path, null, settings.stopGrace().plus(Engine.QUICK))
                .compose(stopped -> stopped.require(304, 404, 409)) // stopped or gone; a conflict ends with the removal
                .compose(stopped -> containers.remove(process.id()));
    }

    @Override
    public Future<Optional<AgentProcess>> findAlive(UUID workspaceId, @Nullable AgentProcess recorded) {
        if (recorded == null) {
            return containers
                    .list(names.agents(Optional.of(workspaceId)), false)
                    .compose(found -> found.isEmpty()
                            ? Future.succeededFuture(Optional.empty())
                            : containers
                                    .inspect(Containers.idOf(found.getFirst()))
                                    .map(state -> state.flatMap(Containers::running)));
        }
        return containers
                .inspect(recorded.id())
                .map(state -> state.filter(found -> Containers.running(found).isPresent())
                        .map(found -> recorded));
    }

    @Override
    public Future<Map<UUID, AgentProcess>> findAll() {
        mounts.giveBackForgotten();
        return containers
                .list(names.agents(Optional.empty()), false)
                .compose(found -> Future.all(found.stream()
                                .map(container -> containers.inspect(Containers.idOf(container)))
                                .toList())
                        .map(inspected -> {
                            Map<UUID, AgentProcess> all = new HashMap<>();
                            for (int i = 0; i < found.size(); i++) {
                                Optional<JsonObject> state = inspected.resultAt(i);
                                var owner = Containers.workspaceOf(found.get(i));
                                state.flatMap(Containers::running)
                                        .ifPresent(process -> owner.ifPresent(id -> all.put(id, process)));
                            }
                            return all;
                        }));
    }

    @Override
    public Future<Set<UUID>> findKept() {
        return volumes.owners()
                .map(owners -> owners.stream()
                        .flatMap(owner -> Ids.find(owner).stream())
                        .limit(KEPT_MAX)
                        .collect(Collectors.toSet()));
    }

    /** It keeps running, reaches nobody and is reached by nobody; what it still writes lands in its own volumes. */
    @Override
    public Future<Void> cutOff(UUID workspaceId) {
        return containers
                .list(names.agents(Optional.of(workspaceId)), false)
                .compose(found ->
                        Future.all(found.stream().map(containers::disconnect).toList()))
                .mapEmpty();
    }

    @Override
    public Future<Void> exitOf(AgentProcess process) {
        Promise<Void> exit = Promise.promise();
        awaitExit(process, exit);
        return exit.future();
    }

    /** Tries do not hang on one another: after a long outage of the engine a chain of them would be deeper than the stack. */
    private void awaitExit(AgentProcess process, Promise<Void> exit) {
        engine.exitOf(process.id())
                .onComplete(
                        gone -> exit.complete(),
                        away -> engine.pause(WAIT_AGAIN).onSuccess(again -> awaitExit(process, exit)));
    }

    @Override
    public Future<String> describeExit(UUID workspaceId, @Nullable AgentProcess process) {
        return new ContainerEnds(containers).describe(workspaceId, process);
    }

    @Override
    public Future<String> logTail(UUID workspaceId) {
        return containers
                .list(names.agents(Optional.of(workspaceId)), true) // its name is only the beginning of its id
                .compose(found -> found.isEmpty()
                        ? Future.succeededFuture("")
                        : containers.tailOf(Containers.idOf(found.getFirst())));
    }

    /** The engine does, by the container's own bounds. */
    @Override
    public Future<Void> trimLog(UUID workspaceId) {
        return Future.succeededFuture();
    }

    /** The volume stays, for an agent that runs holds it. */
    @Override
    public Future<Void> forgetSessions(UUID workspaceId) {
        return volumes.isThere(workspaceId, Names.sessions(workspaceId)).compose(there -> {
            if (!there) {
                return Backend.super.forgetSessions(workspaceId);
            }
            return tools.forgetSessions(workspaceId)
                    .compose(outcome -> outcome.exit() == 0
                            ? Future.<Void>succeededFuture()
                            : Future.failedFuture(new IOException("forgetting sessions ended with " + outcome.exit())));
        });
    }

    @Override
    public Future<Void> delete(UUID workspaceId) {
        return containers
                .list(names.everythingOf(workspaceId), true)
                .compose(found -> Future.all(found.stream()
                        .map(container -> containers.remove(Containers.idOf(container)))
                        .toList()))
                .compose(removed -> volumes.delete(workspaceId));
    }

    private Future<String> create(Launch launch) {
        var id = launch.workspace().id();
        String image = images.of(launch.workspace().runtime());
        return images.require(image)
                .compose(there -> network.gateway())
                .compose(gateway -> makeRoom(id)
                        .compose(free -> volumes.create(launch.workspace()))
                        .compose(made -> machine.processors())
                        .compose(processors -> engine.post(
                                "/containers/create?name=" + Names.container(id),
                                new AgentContainer(settings, names, processors, gateway.orElse(null))
                                        .of(launch, image))))
                .compose(EngineAnswer::require)
                .map(created -> created.object().getString("Id"));
    }

    /** What an earlier start left, or the container of a run that ended. */
    private Future<Void> makeRoom(UUID workspaceId) {
        return containers.inspect(Names.container(workspaceId)).compose(found -> {
            if (found.isEmpty()) {
                return Future.succeededFuture();
            }
            var labels = found.get().getJsonObject("Config").getJsonObject("Labels", new JsonObject());
            return names.isOurs(labels, workspaceId)
                    ? containers.remove(found.get().getString("Id"))
                    : Future.failedFuture(new StartRefused(
                            "workspace start failed: there is a container %s that is not this platform's"
                                    .formatted(Names.container(workspaceId))));
        });
    }

    /** The token goes in while nothing runs yet. Folders belong to the agent whatever the image says. */
    private Future<Void> lay(Launch launch) {
        return files.lay(launch);
    }
}
