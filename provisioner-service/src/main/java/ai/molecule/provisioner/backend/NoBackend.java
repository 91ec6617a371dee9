package ai.molecule.provisioner.backend;

import io.vertx.core.Future;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** {@code MOLECULE_BACKEND=none}: agents are started by others and register themselves. Every start is refused. */
public final class NoBackend implements Backend {

    private static final String ERROR = "no backend is configured on this platform instance";
    private static final String LAST_ERROR =
            "no backend is configured — managed workspaces need MOLECULE_BACKEND (process, docker or kubernetes);"
                    + " others register themselves";

    @Override
    public boolean available() {
        return false;
    }

    @Override
    public Optional<StartRefused> refusal(String runtime) {
        return Optional.of(new StartRefused(ERROR, LAST_ERROR));
    }

    @Override
    public Future<Integer> choosePort(@Nullable Integer last, Set<Integer> taken) {
        return Future.failedFuture(new StartRefused(ERROR, LAST_ERROR));
    }

    @Override
    public String url(UUID workspaceId, int port) {
        return "";
    }

    @Override
    public Future<AgentProcess> start(Launch launch) {
        return Future.failedFuture(new StartRefused(ERROR, LAST_ERROR));
    }

    /** Left alone: a process from a time with a backend ends with the lifeline that backend gave it. */
    @Override
    public Future<Void> stop(AgentProcess process) {
        return Future.succeededFuture();
    }

    @Override
    public Future<Optional<AgentProcess>> findAlive(UUID workspaceId, @Nullable AgentProcess recorded) {
        return Future.succeededFuture(Optional.empty());
    }

    @Override
    public Future<Map<UUID, AgentProcess>> findAll() {
        return Future.succeededFuture(Map.of());
    }

    @Override
    public Future<Void> exitOf(AgentProcess process) {
        return Future.succeededFuture();
    }

    @Override
    public Future<String> describeExit(UUID workspaceId, @Nullable AgentProcess process) {
        return Future.succeededFuture(ERROR);
    }

    @Override
    public Future<String> logTail(UUID workspaceId) {
        return Future.succeededFuture("");
    }

    @Override
    public Future<Void> trimLog(UUID workspaceId) {
        return Future.succeededFuture();
    }

    @Override
    public WorkspaceFiles files() {
        return new NoFiles();
    }

    @Override
    public Future<Void> delete(UUID workspaceId) {
        return Future.succeededFuture();
    }
}
