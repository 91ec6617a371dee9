package ai.molecule.provisioner.docker;

import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

/** What the engine's machine has: the engine refuses a container that is promised more. */
final class EngineMachine {

    private final Engine engine;
    private volatile @Nullable Integer processors;

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
}
