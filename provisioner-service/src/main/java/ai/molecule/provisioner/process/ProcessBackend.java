package ai.molecule.provisioner.process;

import ai.molecule.provisioner.backend.Adapters;
import ai.molecule.provisioner.backend.AgentHost;
import ai.molecule.provisioner.backend.AgentProcess;
import ai.molecule.provisioner.backend.Backend;
import ai.molecule.provisioner.backend.Exit;
import ai.molecule.provisioner.backend.FreePorts;
import ai.molecule.provisioner.backend.Launch;
import ai.molecule.provisioner.backend.ProgramMemory;
import ai.molecule.provisioner.backend.StartFailure;
import ai.molecule.provisioner.backend.StartRefused;
import ai.molecule.provisioner.backend.WorkspaceFiles;
import ai.molecule.provisioner.containers.Tier;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Agents as child processes. They outlive the provisioner and are recognised by pid and start time when it comes back. */
public final class ProcessBackend implements Backend {

    /** As a parent sees the end by SIGKILL. */
    private static final int KILLED = 128 + 9;

    private static final Logger LOGGER = LoggerFactory.getLogger(ProcessBackend.class);

    private final Vertx vertx;
    private final ProcessSettings settings;
    private final AgentCommand command;
    private final Cgroups cgroups;
    private final ProcessFiles files;
    private final Spawning spawning;
    private final Termination ending;
    private final Leftovers leftovers;

    /** Our own children, for their exit codes. One entry per workspace, dropped when it is deleted. */
    private final Map<UUID, Process> children = new ConcurrentHashMap<>();

    private final FreePorts ports;
    private final RestingPorts resting = new RestingPorts(InstantSource.system());

    public ProcessBackend(Vertx vertx, ProcessSettings settings, AgentCommand command) {
        this(vertx, settings, command, FreePorts.AGENTS);
    }

    /** @param ports at which agents listen */
    public ProcessBackend(Vertx vertx, ProcessSettings settings, AgentCommand command, FreePorts ports) {
        this.vertx = vertx;
        this.settings = settings;
        this.ports = ports;
        this.command = command;
        this.cgroups = settings.cgroups() ? Cgroups.ofThisMachine() : new Cgroups(List.of());
        this.files = new ProcessFiles(vertx, settings.data());
        this.spawning = new Spawning(settings, command, cgroups, files);
        this.ending = new Termination(vertx, settings.stopGrace());
        this.leftovers = new Leftovers(settings.data());
        files.clearStaging()
                .onFailure(failure ->
                        LOGGER.atWarn().setCause(failure).log("what was left half-done before could not be deleted"));
    }

    @Override
    public boolean available() {
        return true;
    }

    @Override
    public Future<Optional<AgentHost>> host() {
        return vertx.executeBlocking(() -> Optional.of(DataFolderId.of(settings.data())), false);
    }

    @Override
    public Optional<StartRefused> refusal(String runtime) {
        try {
            return Adapters.refusal(runtime, command.adapters());
        } catch (StartRefused nothingToRun) {
            return Optional.of(nothingToRun);
        }
    }

    @Override
    public Optional<String> tierRefusal(String runtime, int tier) {
        return spawning.holdsMemory()
                ? ProgramMemory.refusal(runtime, Tier.of(settings.tiers(), tier))
                : Optional.empty();
    }

    @Override
    public Future<Integer> choosePort(@Nullable Integer last, Set<Integer> taken) {
        return vertx.executeBlocking(
                () -> {
                    var users = new AgentUsers(settings.firstUid());
                    var others = users.portsOfFolders(settings.data());
                    if (last != null) {
                        others.remove(last);
                    }
                    others.addAll(resting.with(taken));
                    try {
                        return ports.choose(last, others);
                    } catch (IOException none) {
                        throw new IOException(none.getMessage() + users.hoarder(ports), none);
                    }
                },
                false);
    }

    @Override
    public String url(UUID workspaceId, int port) {
        String host = settings.agentHost();
        return "http://%s:%d".formatted(host.contains(":") ? "[" + host + "]" : host, port);
    }

    @Override
    public Future<AgentProcess> start(Launch launch) {
        return vertx.executeBlocking(() -> begin(launch), false)
                .recover(failure -> Future.failedFuture(failureOf(launch, failure)));
    }

    @Override
    public Future<Void> stop(AgentProcess process) {
        if (LiveProcess.find(process).isEmpty()) {
            return Future.succeededFuture();
        }
        var owner = LiveProcess.commandLine(Long.parseLong(process.id()))
                .flatMap(AgentMark::in)
                .map(AgentMark::workspaceId);
        return ending.of(process)
                .compose(ended -> owner.isEmpty()
                        ? Future.succeededFuture()
                        : vertx.executeBlocking(
                                () -> {
                                    killAll(owner.get());
                                    return null;
                                },
                                false));
    }

    @Override
    public Future<Void> clear(UUID workspaceId) {
        return vertx.executeBlocking(
                () -> {
                    killAll(workspaceId);
                    return null;
                },
                false);
    }

    /** What an agent started and left, wherever it hides. */
    private void killAll(UUID workspaceId) {
        cgroups.killAll(workspaceId);
        leftovers.kill(workspaceId);
    }

    /** A JVM that starts takes one processor for most of a second. */
    @Override
    public int startsAtOnce() {
        return Math.clamp(Runtime.getRuntime().availableProcessors() + 1, 3, 8);
    }

    @Override
    public Future<Optional<AgentProcess>> findAlive(UUID workspaceId, @Nullable AgentProcess recorded) {
        return recorded == null
                ? vertx.executeBlocking(() -> LiveProcess.find(mark(workspaceId)), false)
                : Future.succeededFuture(LiveProcess.find(recorded).map(handle -> recorded));
    }

    @Override
    public Future<Map<UUID, AgentProcess>> findAll() {
        return vertx.executeBlocking(() -> LiveProcess.findAll(AgentMark.platformOf(settings.data())), false);
    }

    @Override
    public Future<Set<UUID>> findKept() {
        return vertx.executeBlocking(() -> AgentFolder.allBelow(settings.data()), false);
    }

    @Override
    public Future<Void> exitOf(AgentProcess process) {
        return LiveProcess.find(process)
                .map(handle -> Future.fromCompletionStage(handle.onExit()).<Void>mapEmpty())
                .orElseGet(Future::succeededFuture);
    }

    @Override
    public Future<String> describeExit(UUID workspaceId, @Nullable AgentProcess process) {
        var child = children.get(workspaceId);
        if (child == null || child.isAlive()) {
            return Future.succeededFuture("ended while nobody watched it");
        }
        return vertx.executeBlocking(() -> child.exitValue() == KILLED && cgroups.ranOutOfMemory(workspaceId), false)
                .compose(outOfMemory -> outOfMemory
                        ? Future.succeededFuture("out of memory")
                        : logTail(workspaceId).otherwise("").map(last -> Exit.describe(child.exitValue(), last)));
    }

    @Override
    public Future<String> logTail(UUID workspaceId) {
        return vertx.executeBlocking(() -> AgentLog.of(folder(workspaceId)).tail(), false);
    }

    @Override
    public Future<Void> trimLog(UUID workspaceId) {
        return vertx.executeBlocking(
                () -> {
                    AgentLog.of(folder(workspaceId)).trim();
                    return null;
                },
                false);
    }

    @Override
    public WorkspaceFiles files() {
        return files;
    }

    @Override
    public Future<Void> delete(UUID workspaceId) {
        return vertx.executeBlocking(
                () -> {
                    killAll(workspaceId);
                    rest(Leftovers.ownUid(folder(workspaceId)));
                    cgroups.delete(workspaceId);
                    files.deleteAll(workspaceId);
                    children.remove(workspaceId);
                    return null;
                },
                false);
    }

    private AgentProcess begin(Launch launch) throws IOException {
        var id = launch.workspace().id();
        killAll(id);
        Integer uid = spawning.userAt(launch.port());
        int before = Leftovers.ownUid(folder(id));
        if (uid != null && uid != before) {
            leftovers.killOf(uid, id);
            rest(before);
        }
        var child = spawning.spawn(launch);
        children.put(id, child);
        return LiveProcess.named(child.pid(), LiveProcess.startOrNow(child.toHandle()));
    }

    private StartFailure failureOf(Launch launch, Throwable failure) {
        if (failure instanceof StartFailure known) {
            return known;
        }
        LOGGER.atError()
                .setCause(failure)
                .addKeyValue("workspaceId", launch.workspace().id())
                .log("agent could not be started");
        return failure instanceof IOException || failure instanceof UncheckedIOException
                ? ScarceMachine.delay(failure, settings.data())
                : new StartRefused("workspace start failed: its folder or process could not be created");
    }

    /** The port of that user: its agent has another from now on, or is no more. */
    private void rest(int uid) {
        Integer first = settings.firstUid();
        if (first != null && uid >= first) {
            resting.add(uid - first);
        }
    }

    private AgentMark mark(UUID workspaceId) {
        return AgentMark.of(settings.data(), workspaceId);
    }

    private AgentFolder folder(UUID workspaceId) {
        return AgentFolder.of(settings.data(), workspaceId);
    }
}
