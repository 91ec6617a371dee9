package ai.molecule.proxy.models;

import static java.util.Objects.requireNonNull;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Bearer;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.CredentialWatch;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.http.Connections;
import ai.molecule.common.models.ModelProtocol;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.RoutingContext;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who comes to the model door, asked before a body is read: a workspace, by its own token or the key made from it. Nobody else
 * has a budget to pay from. Also answers the HEAD with which its programs try an address.
 */
public final class ModelDoor implements Handler<RoutingContext> {

    private static final String PATH = "/models";

    private final Guards guards;
    private final CredentialWatch<Object> open;

    /** @param open ends calls with the credentials that began them: they cost money */
    public ModelDoor(Guards guards, CredentialWatch<Object> open) {
        this.guards = guards;
        this.open = open;
    }

    /** The protocol of a path below the door; empty where there is none. */
    static Optional<ModelProtocol> protocolOf(String path) {
        String[] segments = path.split("/", 4);
        return segments.length > 2 ? ModelProtocol.ofWire(segments[2]) : Optional.empty();
    }

    @Override
    public void handle(RoutingContext ctx) {
        String path = ctx.normalizedPath();
        if (!path.equals(PATH) && !path.startsWith(PATH + "/")) {
            ctx.next();
            return;
        }
        var protocol = protocolOf(path);
        var request = ctx.request();
        request.pause(); // until it is known who asks
        String bearer = Bearer.of(request);
        workspace(bearer)
                .onComplete(known -> request.resume())
                .onSuccess(caller -> {
                    if (request.method().equals(HttpMethod.HEAD) && protocol.isPresent()) {
                        ctx.response().end();
                        return;
                    }
                    caller.keepIn(ctx);
                    ctx.addEndHandler(ended -> open.forget(ctx));
                    open.watch(
                            ctx,
                            Set.of(requireNonNull(caller.workspaceId())),
                            () -> workspace(bearer),
                            refused -> ctx.response().reset());
                    ctx.next();
                })
                .onFailure(failure -> {
                    if (failure instanceof ApiError error && protocol.isPresent()) {
                        Connections.closeBehind(ctx);
                        ModelCall.tell(ctx, protocol.get(), error);
                    } else {
                        ctx.fail(failure);
                    }
                });
    }

    private Future<Caller> workspace(@Nullable String bearer) {
        if (bearer == null) {
            return Future.failedFuture(
                    ApiError.unauthenticated("missing workspace auth token: send it as the API key of the program"));
        }
        return guards.payer(bearer).compose(Caller::refuseSuspended).map(caller -> {
            if (caller.kind() != Caller.Kind.WORKSPACE) {
                throw ApiError.unauthenticated(
                        "invalid workspace auth token: the model door takes a workspace's own token, and no other");
            }
            if (caller.unadmitted()) {
                throw ApiError.forbidden("this workspace was not admitted yet: have it admitted first");
            }
            return caller;
        });
    }
}
