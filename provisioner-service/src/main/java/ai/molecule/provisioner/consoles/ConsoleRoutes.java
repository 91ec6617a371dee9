package ai.molecule.provisioner.consoles;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.SecretsFor;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.PathIds;
import ai.molecule.common.json.Json;
import ai.molecule.provisioner.backend.Backend;
import ai.molecule.provisioner.backend.OurWorkspaces;
import ai.molecule.provisioner.reconcile.SecretMask;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** {@code /workspaces/:id/console}: the end of what the agent printed, without its secrets, whether it runs or not. */
public record ConsoleRoutes(Bus bus, Backend backend) {

    private static final Duration WAIT = Duration.ofSeconds(10);

    /** {@code {"output"}}: at most 20 lines and 4 KiB. 404 not ours; 501 without a backend; 502 when its engine does not say. */
    public void show(RoutingContext ctx) {
        var id = PathIds.workspace(ctx);
        if (!backend.available()) {
            throw new ApiError(ApiError.Kind.NOT_IMPLEMENTED, "agents run elsewhere: there is no console here");
        }
        var output = new OurWorkspaces(bus)
                .find(id)
                .map(found -> found.orElseThrow(() -> ApiError.notFound("workspace not found")))
                .compose(ours -> bus.call(SecretsFor.CONTRACT, new SecretsFor(id, SecretsFor.Purpose.MASK)))
                .compose(secrets -> secrets.failedKeys().isEmpty()
                        ? printed(id).map(new SecretMask(secrets.values().values())::over)
                        : Future.failedFuture(
                                ApiError.conflict("secrets of the workspace cannot be decrypted: nothing is quoted")));
        Answers.json(ctx, output.map(text -> Json.object().put("output", text)));
    }

    private Future<String> printed(UUID id) {
        return backend.logTail(id)
                .timeout(WAIT.toMillis(), TimeUnit.MILLISECONDS)
                .recover(silent -> Future.failedFuture(
                        new ApiError(ApiError.Kind.BAD_GATEWAY, "what the agent runs in does not answer")));
    }
}
