package ai.molecule.provisioner.process;

import ai.molecule.common.bus.registry.ManagedWorkspace;
import ai.molecule.common.json.Json;
import ai.molecule.provisioner.backend.AgentEnvironment;
import ai.molecule.provisioner.backend.FilePath;
import ai.molecule.provisioner.backend.Launch;
import ai.molecule.provisioner.backend.StartRefused;
import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import ai.molecule.provisioner.containers.Tier;
import io.vertx.core.buffer.Buffer;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Lays out an agent's folder and starts its process: confined, limited, and with an environment of its own. */
final class Spawning {

    private static final FilePath TOKEN = FilePath.of(".auth_token");

    private final ProcessSettings settings;
    private final AgentCommand command;
    private final Cgroups cgroups;
    private final ProcessFiles files;
    private final AgentUsers users;
    private final Confinement confinement;
    private final PrivateMounts mounts;

    /** Whether starts as users of their own were seen to work. */
    private final AtomicBoolean usersWork = new AtomicBoolean();

    Spawning(ProcessSettings settings, AgentCommand command, Cgroups cgroups, ProcessFiles files) {
        this.settings = settings;
        this.command = command;
        this.cgroups = cgroups;
        this.files = files;
        this.users = new AgentUsers(settings.firstUid());
        this.confinement = Confinement.ofThisMachine(settings.path());
        this.mounts =
                settings.firstUid() == null ? new PrivateMounts(null) : PrivateMounts.ofThisMachine(settings.path());
    }

    /** Whose an agent's processes at that port are; null for our own user. */
    @Nullable
    Integer userAt(int port) {
        return users.of(port);
    }

    /** Whether each process may hold as much data as its tier says, and no more. */
    boolean holdsMemory() {
        return confinement.prlimit() != null;
    }

    /**
     * Blocks while files are written.
     *
     * @throws StartRefused when something is missing that a person can change
     */
    Process spawn(Launch launch) throws IOException {
        var workspace = launch.workspace();
        var folder = AgentFolder.of(settings.data(), workspace.id());
        var tier = Tier.of(settings.tiers(), workspace.tier());
        Integer uid = users.of(launch.port());
        if (uid != null) {
            requireOwnUser(uid);
        }
        var confined = confinement.around(command.of(AgentMark.of(settings.data(), workspace.id()), tier), tier, uid);
        var directory = workingFolder(workspace, folder);
        if (uid != null) {
            var needed = Stream.concat(command.needs().stream(), Stream.of(settings.data(), directory))
                    .toList();
            confined = mounts.around(confined, folder.temporary(), uid, needed);
        }
        files.clearTemporary(workspace.id());
        folder.create();
        files.writeNow(workspace.id(), Root.CONFIGS, Map.of(TOKEN, Buffer.buffer(launch.token())));
        handOver(launch, folder);
        if (uid != null) {
            AgentUsers.give(folder, uid);
        } else {
            AgentUsers.takeBack(folder);
        }
        AgentLog.of(folder).rotate();
        var builder = new ProcessBuilder(cgroups.around(confined, workspace.id(), tier));
        builder.environment().clear();
        builder.environment().putAll(environment(folder).withoutSecrets(launch, launch.port()));
        builder.directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.log().toFile()))
                .redirectInput(stdin());
        return builder.start();
    }

    /** Tried, not guessed: a container may know fewer users than numbers, and a home be closed to all of them. */
    private void requireOwnUser(int uid) throws IOException {
        if (usersWork.get()) {
            return;
        }
        if (!confinement.works(uid, "true")) {
            throw new StartRefused("workspace start failed: setpriv cannot make it user " + uid
                    + " (MOLECULE_AGENT_UIDS names the first of other users)");
        }
        Files.createDirectories(settings.data());
        AgentUsers.letPass(settings.data());
        for (Path needed : Stream.concat(command.needs().stream(), Stream.of(settings.data()))
                .toList()) {
            if (!confinement.works(uid, "test", Files.isDirectory(needed) ? "-x" : "-r", needed.toString())) {
                throw new StartRefused("workspace start failed: its own user cannot reach " + needed
                        + ": let everybody pass the folders above it, or move it");
            }
        }
        usersWork.set(true);
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
                place, folder.configs().toString(), settings.platformUrl(), settings.agentHost(), settings.heartbeat());
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
}
