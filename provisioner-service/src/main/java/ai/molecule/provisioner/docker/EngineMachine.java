package ai.molecule.provisioner.docker;

import ai.molecule.provisioner.backend.AgentHost;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

/** What the engine's machine has: the engine refuses a container that is promised more. */
final class EngineMachine {

    private final Engine engine;
    private volatile @Nullable Integer processors;
    private volatile @Nullable AgentHost host;

    EngineMachine(Engine engine) {
        this.engine = engine;
    }

    /** Asked until the engine has answered once. */
    Future<Integer> processors() {
        var known = processors;
        return known != null
                ? Future.succeededFuture(known)
                : engine.get("/info").compose(EngineAnswer::require).map(info -> {
                    int found = Math.max(1, info.object().getInteger("NCPU", 1));
                    processors = found;
                    return found;
                });
    }

    /** Asked until the engine has answered once; its id stays the same for as long as it keeps its data. */
    Future<AgentHost> host() {
        var known = host;
        return known != null
                ? Future.succeededFuture(known)
                : engine.get("/info").compose(EngineAnswer::require).map(info -> {
                    String name = info.object().getString("Name", "unnamed");
                    var found = new AgentHost(
                            "docker:%s:%s".formatted(info.object().getString("ID", ""), name),
                            "the container engine of " + name);
                    host = found;
                    return found;
                });
    }
}
