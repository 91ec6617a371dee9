package ai.molecule.provisioner.reconcile;

import ai.molecule.provisioner.backend.AgentProcess;
import ai.molecule.provisioner.backend.Backend;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The processes whose end this provisioner waits for, in memory: after its own restart it watches anew. */
final class Watches {

    /** The registry asks again when nothing came of it; an older word may be about a silence that is over. */
    private static final Duration SILENT_FOR = Duration.ofSeconds(20);

    private record Watch(AgentProcess process, boolean announced) {}

    private record Silence(int incarnation, Instant until) {}

    private final Backend backend;
    private final Consumer<UUID> onExit;
    private final Map<UUID, Watch> watches = new ConcurrentHashMap<>();
    private final Map<UUID, Silence> silences = new ConcurrentHashMap<>();

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
        silences.remove(workspaceId);
    }

    /** The registry says that nobody hears of this start any more. */
    void silent(UUID workspaceId, int incarnation, Instant now) {
        silences.put(workspaceId, new Silence(incarnation, now.plus(SILENT_FOR)));
    }

    boolean isSilent(UUID workspaceId, int incarnation, Instant now) {
        var silence = silences.get(workspaceId);
        return silence != null && silence.incarnation == incarnation && silence.until.isAfter(now);
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
