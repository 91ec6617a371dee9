package ai.molecule.provisioner.process;

import ai.molecule.common.net.ProcessEnvironment;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What agents started and left running when they ended: recognised by the folder in its environment, as the launcher's watchdog
 * does, and where agents are users of their own by its user. Blocks. Without {@code /proc} nothing is found.
 */
record Leftovers(Path data) {

    /** What is killed may just have started another. */
    private static final int PASSES_MAX = 5;

    /**
     * How long they may take to end. Not until nothing is known of them any more, as {@link ProcessHandle#onExit} waits: they are
     * another's children, whom the first process of a machine collects when it likes, and that of a container often never.
     */
    private static final Duration GONE_MAX = Duration.ofSeconds(1);

    private static final Duration LOOK = Duration.ofMillis(5);

    private static final Logger LOGGER = LoggerFactory.getLogger(Leftovers.class);

    /** Nothing of the workspace may be wanted: its agent is killed too. */
    void kill(UUID workspaceId) {
        kill(workspaceId, ownUid(AgentFolder.of(data, workspaceId)));
    }

    /**
     * What is left of the user that a workspace is about to get: an agent that had the port before may have hidden something, which would be
     * taken for the new one's.
     */
    void killOf(int uid, UUID workspaceId) {
        kill(workspaceId, uid);
    }

    private void kill(UUID workspaceId, int uid) {
        var folder = AgentFolder.of(data, workspaceId);
        String mark = "WORKSPACE_CONFIG_PATH=" + folder.configs();
        for (int pass = 0; pass < PASSES_MAX; pass++) {
            var left = ProcessHandle.allProcesses()
                    .filter(process -> process.pid() != ProcessHandle.current().pid())
                    .filter(process -> isOf(process.pid(), uid) || ProcessEnvironment.holds(process.pid(), mark))
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
        long giveUp = System.nanoTime() + GONE_MAX.toNanos();
        while (left.stream().anyMatch(LiveProcess::runs) && System.nanoTime() < giveUp) {
            LockSupport.parkNanos(LOOK.toNanos());
        }
    }

    /** Of agents that are users of their own; -1 for one that is us. */
    static int ownUid(AgentFolder folder) {
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
}
