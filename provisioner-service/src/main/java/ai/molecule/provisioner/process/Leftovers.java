package ai.molecule.provisioner.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What agents started and left running when they ended: recognised by the folder in its environment, as the launcher's watchdog
 * does, and where agents are users of their own by its user. Blocks. Without {@code /proc} nothing is found.
 */
final class Leftovers {

    /** What is killed may just have started another. */
    private static final int PASSES_MAX = 5;

    private static final int GONE_MAX_SECONDS = 1;
    private static final int ENVIRONMENT_MAX_BYTES = 1 << 20;

    private static final Logger LOGGER = LoggerFactory.getLogger(Leftovers.class);

    private final Path data;

    Leftovers(Path data) {
        this.data = data;
    }

    /** Nothing of the workspace may be wanted: its agent is killed too. */
    void kill(UUID workspaceId) {
        var folder = AgentFolder.of(data, workspaceId);
        byte[] mark = ("\0WORKSPACE_CONFIG_PATH=" + folder.configs() + "\0").getBytes(StandardCharsets.ISO_8859_1);
        int uid = ownUid(folder);
        for (int pass = 0; pass < PASSES_MAX; pass++) {
            var left = ProcessHandle.allProcesses()
                    .filter(process -> process.pid() != ProcessHandle.current().pid())
                    .filter(process -> isOf(process.pid(), uid) || carries(process.pid(), mark))
                    .filter(LiveProcess::runs)
                    .filter(ProcessHandle::destroyForcibly)
                    .toList();
            if (left.isEmpty()) {
                return;
            }
            told(workspaceId, left);
        }
    }

    private static void told(UUID workspaceId, List<ProcessHandle> left) {
        LOGGER.atInfo()
                .addKeyValue("workspaceId", workspaceId)
                .addKeyValue("processes", left.size())
                .log("what an agent left running was killed");
        left.forEach(process -> process.onExit()
                .orTimeout(GONE_MAX_SECONDS, TimeUnit.SECONDS)
                .exceptionally(slow -> process)
                .join());
    }

    /** Of agents that are users of their own; -1 for one that is us. */
    private static int ownUid(AgentFolder folder) {
        try {
            int uid = Ownership.ownerOf(folder.configs());
            return uid == Ownership.ownerOf(folder.root()) ? -1 : uid;
        } catch (IOException neverStarted) {
            return -1;
        }
    }

    private static boolean isOf(long pid, int uid) {
        try {
            return uid >= 0 && Ownership.ownerOf(Path.of("/proc", String.valueOf(pid))) == uid;
        } catch (IOException gone) {
            return false;
        }
    }

    private static boolean carries(long pid, byte[] mark) {
        try (var in = Files.newInputStream(Path.of("/proc", String.valueOf(pid), "environ"))) {
            var environment =
                    "\0" + new String(in.readNBytes(ENVIRONMENT_MAX_BYTES), StandardCharsets.ISO_8859_1) + "\0";
            return environment.contains(new String(mark, StandardCharsets.ISO_8859_1));
        } catch (IOException goneOrAnothers) {
            return false;
        }
    }
}
