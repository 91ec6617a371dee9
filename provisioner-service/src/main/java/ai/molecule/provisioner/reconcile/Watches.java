package ai.molecule.provisioner.reconcile;

import ai.molecule.provisioner.backend.AgentProcess;
import ai.molecule.provisioner.backend.Backend;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The processes whose end this provisioner waits for, in memory: after its own restart it watches anew. */
final class Watches {

    private record Watch(AgentProcess process, boolean announced) {}

    private final Backend backend;
    private final Consumer<UUID> onExit;
    private final Map<UUID, Watch> watches = new ConcurrentHashMap<>();

    Watches(Backend backend, Consumer<UUID> onExit) {
        this.backend = backend;
        this.onExit = onExit;
    }

    void begin(UUID workspaceId, AgentProcess process) {
        if (covers(workspaceId, process)) {
            return;
        }
        watches.put(workspaceId, new Watch(process, false));
        backend.exitOf(process).onComplete(ended -> {
            if (covers(workspaceId, process)) {
                onExit.accept(workspaceId);
            }
        });
    }

    /** The registry knows the process's endpoint. */
    void announced(UUID workspaceId, AgentProcess process) {
        watches.put(workspaceId, new Watch(process, true));
    }

    void end(UUID workspaceId) {
        watches.remove(workspaceId);
    }

    boolean covers(UUID workspaceId, @Nullable AgentProcess process) {
        var watch = watches.get(workspaceId);
        return watch != null && watch.process.equals(process);
    }

    boolean isAnnounced(UUID workspaceId, AgentProcess process) {
        var watch = watches.get(workspaceId);
        return watch != null && watch.announced && watch.process.equals(process);
    }
}
