package ai.molecule.provisioner.docker;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Ids;
import ai.molecule.provisioner.backend.AgentProcess;
import ai.molecule.provisioner.backend.Backend;
import ai.molecule.provisioner.backend.Exit;
import ai.molecule.provisioner.backend.FreePorts;
import ai.molecule.provisioner.backend.Launch;
import ai.molecule.provisioner.backend.LogTail;
import ai.molecule.provisioner.backend.StartRefused;
import ai.molecule.provisioner.backend.WorkspaceFiles;
import ai.molecule.provisioner.containers.Tier;
import ai.molecule.provisioner.docker.Engine.EngineAway;
import ai.molecule.provisioner.docker.EngineAnswer.Refused;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Agents as containers. They outlive the provisioner and are recognised by the engine's own id for them. */
public final class DockerBackend implements Backend {

    /** Of what images are named after; whether there is one, the engine knows. */
    private static final Pattern RUNTIME = Pattern.compile("[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*");

    /** How long a container that is being removed may take to be gone. */
    private static final Duration GONE_MAX = Duration.ofSeconds(10);

    /** Longer than any use of one, and than a stream may idle. */
    private static final Duration FORGOTTEN = Duration.ofMinutes(30);

    private static final int FORGOTTEN_MAX = 100;

    private static final int KEPT_MAX = 10_000;

    private static final Duration LOOK = Duration.ofMillis(100);

    /** Between two tries to wait for a container's end, when the engine went away meanwhile. */
    private static final Duration WAIT_AGAIN = Duration.ofSeconds(2);

    private static final String NOBODY_WATCHED = "ended while nobody watched it";

    private static final Logger LOGGER = LoggerFactory.getLogger(DockerBackend.class);

    private final Vertx vertx;
    private final DockerSettings settings;
    private final Engine engine;
    private final Names names;
    private final Images images;
    private final Volumes volumes;
    private final AgentNetwork network;
    private final MountsLender mounts;
    private final DockerFiles files;

    public DockerBackend(Vertx vertx, DockerSettings settings) {
        this.vertx = vertx;
        this.settings = settings;
        this.engine = new Engine(vertx, settings.socket());
        this.names = new Names(settings.platform());
        this.images = new Images(engine, settings.images());
        this.volumes = new Volumes(engine, names);
        this.network = new AgentNetwork(engine, settings.network());
        this.mounts = new MountsLender(engine, names, volumes);
        var tools = new ToolContainer(engine, names, volumes, images);
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

    @Override
    public Future<Void> ping() {
        return engine.ping();
    }

    @Override
    public Optional<StartRefused> refusal(String runtime) {
        return RUNTIME.matcher(runtime).matches()
                ? Optional.empty()
                : Optional.of(new StartRefused(
                        "runtime \"%s\" cannot run here: no image can have that name".formatted(runtime)));
    }

    @Override
    public Future<Integer> choosePort(@Nullable Integer last, Set<Integer> taken) {
        return vertx.executeBlocking(() -> FreePorts.AGENTS.choose(last, taken), false);
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
        warnOfPrivileges(launch);
        return create(launch)
                .compose(id -> lay(launch)
                        .compose(laid -> run(id))
                        .recover(failure -> remove(id).transform(removed -> Future.failedFuture(failure))))
                .recover(failure -> Future.failedFuture(reasonOf(launch, failure)));
    }

    @Override
    public Future<Void> stop(AgentProcess process) {
        long grace = settings.stopGrace().toSeconds();
        String path = "/containers/%s/stop?t=%d".formatted(Engine.encode(process.id()), grace);
        return engine.call(HttpMethod.POST, path, null, settings.stopGrace().plus(Engine.QUICK))
                .compose(stopped -> stopped.require(304, 404, 409)) // stopped or gone; a conflict ends with the removal
                .compose(stopped -> remove(process.id()));
    }

    @Override
    public Future<Optional<AgentProcess>> findAlive(UUID workspaceId, @Nullable AgentProcess recorded) {
        if (recorded == null) {
            return list(names.agents(Optional.of(workspaceId)), false)
                    .compose(found -> found.isEmpty()
                            ? Future.succeededFuture(Optional.empty())
                            : inspect(idOf(found.getFirst())).map(state -> state.flatMap(DockerBackend::running)));
        }
        return inspect(recorded.id())
                .map(state -> state.filter(found -> running(found).isPresent()).map(found -> recorded));
    }

    @Override
    public Future<Map<UUID, AgentProcess>> findAll() {
        removeForgotten();
        return list(names.agents(Optional.empty()), false)
                .compose(found -> Future.all(found.stream()
                                .map(container -> inspect(idOf(container)))
                                .toList())
                        .map(inspected -> {
                            Map<UUID, AgentProcess> all = new HashMap<>();
                            for (int i = 0; i < found.size(); i++) {
                                Optional<JsonObject> state = inspected.resultAt(i);
                                var owner = workspaceOf(found.get(i));
                                state.flatMap(DockerBackend::running)
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

    @Override
    public Future<Void> exitOf(AgentProcess process) {
        return engine.exitOf(process.id())
                .recover(away -> engine.pause(WAIT_AGAIN).compose(again -> exitOf(process)));
    }

    @Override
    public Future<String> describeExit(UUID workspaceId, @Nullable AgentProcess process) {
        return inspect(process == null ? Names.container(workspaceId) : process.id())
                .compose(found -> found.isPresent()
                        ? exit(found.get())
                        : Future.succeededFuture(process == null ? NOBODY_WATCHED : "removed by someone else"));
    }

    @Override
    public Future<String> logTail(UUID workspaceId) {
        return tailOf(Names.container(workspaceId));
    }

    private Future<String> tailOf(String container) {
        String path = "/containers/%s/logs?stdout=true&stderr=true&tail=%d".formatted(container, LogTail.LINES_MAX);
        return engine.get(path)
                .compose(log -> log.require(404))
                .map(log -> log.isMissing()
                        ? ""
                        : LogTail.of(LogFrames.contentOf(log.body()).getBytes(), false));
    }

    /** The engine does, by the container's own bounds. */
    @Override
    public Future<Void> trimLog(UUID workspaceId) {
        return Future.succeededFuture();
    }

    @Override
    public Future<Void> delete(UUID workspaceId) {
        return list(names.everythingOf(workspaceId), true)
                .compose(found -> Future.all(
                        found.stream().map(container -> remove(idOf(container))).toList()))
                .compose(removed -> volumes.delete(workspaceId));
    }

    /** Containers that lent their mounts to a provisioner which died before it took them back. */
    private void removeForgotten() {
        long before = Instant.now().minus(FORGOTTEN).getEpochSecond();
        list(names.helpers(), true)
                .onSuccess(found -> found.stream()
                        .filter(container -> container.getLong("Created") < before)
                        .limit(FORGOTTEN_MAX)
                        .forEach(container -> remove(idOf(container))))
                .onFailure(away -> LOGGER.atDebug().setCause(away).log("forgotten containers are looked for again"));
    }

    private Future<String> create(Launch launch) {
        var id = launch.workspace().id();
        String image = images.of(launch.workspace().runtime());
        return images.require(image)
                .compose(there -> network.gateway())
                .compose(gateway -> makeRoom(id)
                        .compose(free -> volumes.create(id))
                        .compose(made -> engine.post(
                                "/containers/create?name=" + Names.container(id),
                                new AgentContainer(settings, names, gateway.orElse(null)).of(launch, image))))
                .compose(EngineAnswer::require)
                .map(created -> created.object().getString("Id"));
    }

    /** What an earlier start left, or the container of a run that ended. */
    private Future<Void> makeRoom(UUID workspaceId) {
        return inspect(Names.container(workspaceId)).compose(found -> {
            if (found.isEmpty()) {
                return Future.succeededFuture();
            }
            var labels = found.get().getJsonObject("Config").getJsonObject("Labels", new JsonObject());
            return names.isOurs(labels, workspaceId)
                    ? remove(found.get().getString("Id"))
                    : Future.failedFuture(new StartRefused(
                            "workspace start failed: there is a container %s that is not this platform's"
                                    .formatted(Names.container(workspaceId))));
        });
    }

    /** The token goes in while nothing runs yet. Folders belong to the agent whatever the image says. */
    private Future<Void> lay(Launch launch) {
        return files.lay(launch.workspace().id(), launch.token());
    }

    private Future<AgentProcess> run(String id) {
        return engine.call(HttpMethod.POST, "/containers/" + id + "/start", null, Engine.QUICK.multipliedBy(3))
                .compose(started -> started.require(304))
                .compose(started -> inspect(id))
                .compose(found -> found.isPresent()
                        ? Future.succeededFuture(processOf(found.get()))
                        : Future.failedFuture(new IOException("container " + id + " is gone")));
    }

    private Future<Void> remove(String id) {
        return engine.delete("/containers/" + Engine.encode(id) + "?force=true")
                .compose(removed -> removed.require(404, 409))
                .compose(removed -> removed.status() == 409 ? gone(id, GONE_MAX) : Future.succeededFuture());
    }

    /** Somebody else removes it just now. */
    private Future<Void> gone(String id, Duration left) {
        return inspect(id).compose(found -> {
            if (found.isEmpty()) {
                return Future.succeededFuture();
            }
            return left.isNegative()
                    ? Future.failedFuture(new IOException("container %s is not removed".formatted(id)))
                    : engine.pause(LOOK).compose(tick -> gone(id, left.minus(LOOK)));
        });
    }

    private Future<List<JsonObject>> list(JsonObject filters, boolean stoppedToo) {
        return engine.get("/containers/json?all=%b&filters=%s".formatted(stoppedToo, Engine.encode(filters.encode())))
                .compose(EngineAnswer::require)
                .map(answer ->
                        answer.array().stream().map(JsonObject.class::cast).toList());
    }

    private Future<Optional<JsonObject>> inspect(String idOrName) {
        return engine.get("/containers/" + Engine.encode(idOrName) + "/json")
                .compose(found -> found.require(404))
                .map(found -> found.isMissing() ? Optional.empty() : Optional.of(found.object()));
    }

    /**
     * An engine that cannot be asked fails a first start, because somebody waits for it; a later one is tried again, because the
     * engine may be back in a minute.
     */
    private Throwable reasonOf(Launch launch, Throwable failure) {
        var log = LOGGER.atWarn()
                .addKeyValue("workspaceId", launch.workspace().id())
                .addKeyValue("reason", failure.toString());
        log.log("agent's container could not be started");
        return switch (failure) {
            case StartRefused refused -> refused;
            case EngineAway away
            when launch.workspace().incarnation() <= 1 ->
                new StartRefused(
                        "workspace start failed: the Docker engine does not answer", String.valueOf(away.getMessage()));
            case Refused portTaken when isPortTaken(portTaken) -> portTaken; // the next try chooses another
            case Refused refused ->
                new StartRefused(
                        "workspace start failed: the Docker engine refused its container",
                        String.valueOf(refused.getMessage()));
            case ApiError error -> new StartRefused("workspace start failed: " + error.publicMessage());
            default -> failure;
        };
    }

    private static boolean isPortTaken(Refused refused) {
        String message = String.valueOf(refused.getMessage());
        return message.contains("already allocated") || message.contains("already in use");
    }

    private void warnOfPrivileges(Launch launch) {
        var tier = Tier.of(settings.tiers(), launch.workspace().tier());
        if (tier.wantsPrivileges() && !settings.privileged()) {
            LOGGER.atWarn()
                    .addKeyValue("workspaceId", launch.workspace().id())
                    .addKeyValue("tier", tier.number())
                    .log("agent runs without the privileges of its tier; MOLECULE_ALLOW_PRIVILEGED=1 would grant them");
        }
    }

    private static Optional<AgentProcess> running(JsonObject container) {
        return container.getJsonObject("State").getBoolean("Running", false)
                ? Optional.of(processOf(container))
                : Optional.empty();
    }

    /** To the microsecond, as the database keeps it. */
    private static AgentProcess processOf(JsonObject container) {
        var started = Instant.parse(container.getJsonObject("State").getString("StartedAt"));
        return new AgentProcess(container.getString("Id"), started.truncatedTo(ChronoUnit.MICROS));
    }

    private Future<String> exit(JsonObject container) {
        var state = container.getJsonObject("State");
        if (state.getBoolean("OOMKilled", false)) {
            return Future.succeededFuture("out of memory");
        }
        return state.getString("Status", "").equals("exited")
                ? tailOf(idOf(container)).otherwise("").map(last -> Exit.describe(state.getInteger("ExitCode"), last))
                : Future.succeededFuture(NOBODY_WATCHED);
    }

    private static String idOf(JsonObject container) {
        return container.getString("Id");
    }

    private static Optional<UUID> workspaceOf(JsonObject container) {
        return Stream.ofNullable(
                        container.getJsonObject("Labels", new JsonObject()).getString(Names.WORKSPACE))
                .flatMap(id -> Ids.find(id).stream())
                .findFirst();
    }
}
