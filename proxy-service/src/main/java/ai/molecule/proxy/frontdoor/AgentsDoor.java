package ai.molecule.proxy.frontdoor;

import ai.molecule.common.auth.AgentsEntrance;
import ai.molecule.common.auth.Bearer;
import ai.molecule.common.auth.Credentials;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.auth.Tokens;
import ai.molecule.common.bus.registry.VerifyToken.Holder;
import ai.molecule.common.config.PlatformConfig;
import ai.molecule.common.json.Json;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import java.util.UUID;

/**
 * The same front door where agents' containers reach it. Who comes this way is no user of this machine: every request carries a
 * live token, no development hatch opens, and what is an administrator's asks for an administrator's or organisation's token.
 * With a workspace's token it acts as that workspace whatever the route: said for it where the request does not, refused where the
 * request says another. What passes is marked ({@link AgentsEntrance}) and goes on like any other.
 */
public final class AgentsDoor implements Handler<HttpServerRequest> {

    private static final String ACTS_AS = "X-Workspace-ID";

    private final PlatformConfig config;
    private final Credentials credentials;
    private final Handler<HttpServerRequest> door;

    /** @param door takes what passed */
    public AgentsDoor(PlatformConfig config, Credentials credentials, Handler<HttpServerRequest> door) {
        this.config = config;
        this.credentials = credentials;
        this.door = door;
    }

    @Override
    public void handle(HttpServerRequest request) {
        request.pause(); // until it is known who asks
        mayPass(request)
                .onSuccess(pass -> {
                    request.resume();
                    if (pass) {
                        request.headers().set(AgentsEntrance.HEADER, "1");
                        door.handle(request);
                    } else {
                        refuse(request, 401, "missing workspace auth token");
                    }
                })
                .onFailure(unknown -> {
                    request.resume();
                    refuse(request, 503, "platform_unavailable");
                });
    }

    private Future<Boolean> mayPass(HttpServerRequest request) {
        String bearer = Bearer.of(request);
        if (bearer == null || isCanvas(request)) {
            return Future.succeededFuture(false);
        }
        String adminToken = config.adminToken();
        if (adminToken != null && Tokens.same(bearer, adminToken)) {
            return Future.succeededFuture(true);
        }
        return credentials.verify(bearer, null).map(verdict -> {
            var holder = verdict.workspaceHolder();
            return holder == null ? verdict.holder() == Holder.ORGANISATION : actsAs(request, holder);
        });
    }

    /** Some routes take a caller without a name for the person at the canvas, and one that writes to itself at its word. */
    private static boolean actsAs(HttpServerRequest request, UUID holder) {
        String said = request.getHeader(ACTS_AS);
        if (said == null || said.isBlank()) {
            request.headers().set(ACTS_AS, holder.toString());
            return true;
        }
        return Ids.find(said).filter(holder::equals).isPresent();
    }

    /** Agents get the events that concern them; the stream of all events is for people. */
    private static boolean isCanvas(HttpServerRequest request) {
        return "/ws".equals(request.path()) && !request.headers().contains(ACTS_AS);
    }

    private static void refuse(HttpServerRequest request, int status, String error) {
        request.response()
                .setStatusCode(status)
                .putHeader("Content-Type", "application/json")
                .end(Json.object().put("error", error).toString());
    }
}
