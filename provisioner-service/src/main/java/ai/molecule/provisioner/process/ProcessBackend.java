package ai.molecule.provisioner.process;

import ai.molecule.common.bus.registry.ManagedWorkspace;
import ai.molecule.common.json.Json;
import ai.molecule.provisioner.backend.Adapters;
import ai.molecule.provisioner.backend.AgentEnvironment;
import ai.molecule.provisioner.backend.AgentProcess;
import ai.molecule.provisioner.backend.Backend;
import ai.molecule.provisioner.backend.Exit;
import ai.molecule.provisioner.backend.FilePath;
import ai.molecule.provisioner.backend.FreePorts;
import ai.molecule.provisioner.backend.Launch;
import ai.molecule.provisioner.backend.StartRefused;
import ai.molecule.provisioner.backend.WorkspaceFiles;
import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import ai.molecule.provisioner.containers.Tier;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HashMap;
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

    static final String HOST = "127.0.0.1";

    /** How often a process that was told to stop is looked at. */
    private static final Duration LOOK = Duration.ofMillis(25);

    /** How long a killed process may take to vanish. */
    private static final Duration KILL_MAX = Duration.ofSeconds(2);

    /** As a parent sees the end by SIGKILL. */
    private static final int KILLED = 128 + 9;

    private static final FilePath TOKEN = FilePath.of(".auth_token");

    private static final Logger LOGGER = LoggerFactory.getLogger(ProcessBackend.class);

    private final Vertx vertx;
    private final ProcessSettings settings;
    private final AgentCommand command;
    private final Confinement confinement;
    private final Cgroups cgroups;
    private final AgentUsers users;
    private final ProcessFiles files;

    /** Our own children, for their exit codes. One entry per workspace, dropped when it is deleted. */
    private final Map<UUID, Process> children = new ConcurrentHashMap<>();

    public ProcessBackend(Vertx vertx, ProcessSettings settings, AgentCommand command) {
        this.vertx = vertx;
        this.settings = settings;
        this.command = command;
        this.users = new AgentUsers(settings.firstUid());
        this.confinement = Confinement.ofThisMachine(settings.path());
        this.cgroups = settings.cgroups() ? Cgroups.ofThisMachine() : new Cgroups(List.of());
        this.files = new ProcessFiles(vertx, settings.data());
        files.clearStaging()
                .onFailure(failure ->
                        LOGGER.atWarn().setCause(failure).log("what was left half-done before could not be deleted"));
    }

    @Override
    public boolean available() {
        return true;
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
    public Future<Integer> choosePort(@Nullable Integer last, Set<Integer> taken) {
        return vertx.executeBlocking(() -> FreePorts.AGENTS.choose(last, taken), false);
    }

    @Override
    public String url(UUID workspaceId, int port) {
        return "http://%s:%d".formatted(HOST, port);
    }

    @Override
    public Future<AgentProcess> start(Launch launch) {
        return vertx.executeBlocking(() -> spawn(launch), false)
                .recover(failure -> Future.failedFuture(refusalOf(launch, failure)));
    }

    @Override
    public Future<Void> stop(AgentProcess process) {
        if (LiveProcess.find(process).isEmpty()) {
            return Future.succeededFuture();
        }
        var owner = LiveProcess.commandLine(Long.parseLong(process.id()))
                .flatMap(AgentMark::in)
                .map(AgentMark::workspaceId);
        return end(process)
                .compose(ended -> owner.isEmpty()
                        ? Future.succeededFuture()
                        : vertx.executeBlocking(
                                () -> {
                                    cgroups.killAll(owner.get()); // what it started and left
                                    return null;
                                },
                                false));
    }

    private Future<Void> end(AgentProcess process) {
        signal(process, false);
        return gone(process, settings.stopGrace()).compose(stopped -> {
            if (stopped) {
                return Future.succeededFuture();
            }
            LOGGER.atWarn().addKeyValue("pid", process.id()).log("agent ignored SIGTERM, killing it");
            signal(process, true);
            return gone(process, KILL_MAX)
                    .compose(killed -> killed
                            ? Future.succeededFuture()
                            : Future.failedFuture(new IOException("process %s survives".formatted(process.id()))));
        });
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
                    cgroups.delete(workspaceId);
                    files.deleteAll(workspaceId);
                    children.remove(workspaceId);
                    return null;
                },
                false);
    }

    private AgentProcess spawn(Launch launch) throws IOException {
        var workspace = launch.workspace();
        var folder = folder(workspace.id());
        var tier = Tier.of(settings.tiers(), workspace.tier());
        Integer uid = users.of(launch.port());
        if (uid != null && !confinement.changesUsers()) {
            throw new StartRefused(
                    "workspace start failed: setpriv cannot make it a user of its own (MOLECULE_AGENT_UIDS)");
        }
        var confined = confinement.around(command.of(mark(workspace.id()), tier.processors()), tier, uid);
        var directory = workingFolder(workspace, folder);
        folder.create();
        files.writeNow(workspace.id(), Root.CONFIGS, Map.of(TOKEN, Buffer.buffer(launch.token())));
        handOver(launch, folder);
        if (uid != null) {
            AgentUsers.give(folder, uid);
        }
        AgentLog.of(folder).rotate();
        var builder = new ProcessBuilder(cgroups.around(confined, workspace.id(), tier));
        builder.environment().clear();
        builder.environment().putAll(environment(folder).withoutSecrets(launch, launch.port()));
        builder.directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.log().toFile()))
                .redirectInput(stdin());
        var child = builder.start();
        children.put(workspace.id(), child);
        return LiveProcess.named(child.pid(), LiveProcess.startOrNow(child.toHandle()));
    }

    /** What an environment or a command line would show to whoever looks at the process. */
    private static void handOver(Launch launch, AgentFolder folder) throws IOException {
        var secrets = Json.object();
        AgentEnvironment.secretsOf(launch).forEach(secrets::put);
        Files.deleteIfExists(folder.secrets());
        Files.write(Ownership.createFile(folder.secrets()), Json.buffer(secrets).getBytes(), StandardOpenOption.WRITE);
    }

    private AgentEnvironment environment(AgentFolder folder) {
        Map<String, String> place = new HashMap<>();
        place.put("PATH", settings.path());
        place.put("LANG", settings.lang());
        place.put("HOME", folder.workspace().toString());
        place.put("PLUGINS_DIR", folder.plugins().toString());
        place.put("MOLECULE_SECRETS_FILE", folder.secrets().toString());
        if (settings.lifeline() != null) {
            place.put("MOLECULE_LIFELINE", "stdin");
        }
        return new AgentEnvironment(
                place, folder.configs().toString(), settings.platformUrl(), HOST, settings.heartbeat());
    }

    /** The folder a person lends it, else its own. */
    private static Path workingFolder(ManagedWorkspace workspace, AgentFolder folder) {
        String lent = workspace.workspaceDir();
        if (lent == null || !workspace.worksInLentFolder()) {
            return folder.workspace();
        }
        if (workspace.workspaceAccess().equals("read_only")) {
            throw new StartRefused(
                    "workspace_access read_only cannot be held by the process backend; use none or read_write");
        }
        if (!Files.isDirectory(Path.of(lent))) {
            throw new StartRefused("workspace_dir %s is no folder on this machine".formatted(lent));
        }
        return Path.of(lent);
    }

    private File stdin() throws IOException {
        if (settings.lifeline() == null) {
            return new File("/dev/null");
        }
        Lifeline.requireHeld(settings.lifeline());
        return settings.lifeline().toFile();
    }

    private static StartRefused refusalOf(Launch launch, Throwable failure) {
        if (failure instanceof StartRefused refused) {
            return refused;
        }
        LOGGER.atError()
                .setCause(failure)
                .addKeyValue("workspaceId", launch.workspace().id())
                .log("agent could not be started");
        return new StartRefused("workspace start failed: its folder or process could not be created");
    }

    private static void signal(AgentProcess process, boolean force) {
        LiveProcess.find(process).ifPresent(handle -> {
            if (force) {
                handle.destroyForcibly();
            } else {
                handle.destroy();
            }
        });
    }

    /** Whether the process is gone within {@code left}. Looks instead of waiting: nobody reports the end of another's child. */
    private Future<Boolean> gone(AgentProcess process, Duration left) {
        if (LiveProcess.find(process).isEmpty()) {
            return Future.succeededFuture(true);
        }
        if (left.isNegative() || left.isZero()) {
            return Future.succeededFuture(false);
        }
        return vertx.timer(LOOK.toMillis()).compose(tick -> gone(process, left.minus(LOOK)));
    }

    private AgentMark mark(UUID workspaceId) {
        return AgentMark.of(settings.data(), workspaceId);
    }

    private AgentFolder folder(UUID workspaceId) {
        return AgentFolder.of(settings.data(), workspaceId);
    }
}
