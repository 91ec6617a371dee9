package ai.molecule.provisioner.docker;

import ai.molecule.provisioner.backend.AgentProcess;
import ai.molecule.provisioner.backend.Exit;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** How containers ended, in words. */
record ContainerEnds(Containers containers) {

    private static final String NOBODY_WATCHED = "ended while nobody watched it";

    /** @param process null for one that was started but never recorded */
    Future<String> describe(UUID workspaceId, @Nullable AgentProcess process) {
        return containers
                .inspect(process == null ? Names.container(workspaceId) : process.id())
                .compose(found -> found.isPresent()
                        ? exit(found.get())
                        : Future.succeededFuture(process == null ? NOBODY_WATCHED : "removed by someone else"));
    }

    private Future<String> exit(JsonObject container) {
        var state = container.getJsonObject("State");
        if (state.getBoolean("OOMKilled", false)) {
            return Future.succeededFuture("out of memory");
        }
        return state.getString("Status", "").equals("exited")
                ? containers
                        .tailOf(Containers.idOf(container))
                        .otherwise("")
                        .map(last -> Exit.describe(state.getInteger("ExitCode"), last))
                : Future.succeededFuture(NOBODY_WATCHED);
    }
}
