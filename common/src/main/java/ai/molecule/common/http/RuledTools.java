package ai.molecule.common.http;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Bearer;
import ai.molecule.common.auth.Credentials;
import ai.molecule.common.policy.ToolRules;
import ai.molecule.common.routing.PathTree;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Rules of the policy about tools, for workspaces that do by REST what a tool does. Asked of whoever shows a workspace's token, before any route;
 * what came through the gateway was asked there. Only tools that are one route are among them: what a message does is judged by its method, and
 * what an agent reads of its own activity is also how it gets its messages.
 */
public final class RuledTools implements Handler<RoutingContext> {

    private static final String UNJUDGED = RuledTools.class.getName();

    /** @param later whether it is accepted where nobody can tell now, because its service has it judged before it does it */
    private record Ruled(String tool, boolean later) {}

    private static final Ruled RECALL = new Ruled("recall_memory", false);

    private static final PathTree<Map<String, Ruled>> ROUTES = new PathTree<>();

    static {
        ROUTES.put("/workspaces/:id/notify", Map.of("POST", new Ruled("send_message_to_user", false)));
        ROUTES.put("/workspaces/:id/memories", Map.of("POST", new Ruled("commit_memory", false), "GET", RECALL));
        ROUTES.put("/workspaces/:id/session-search", Map.of("GET", RECALL)); // finds memories, too
        ROUTES.put("/workspaces/:id/delegate", Map.of("POST", new Ruled(ToolRules.DELEGATE, true)));
    }

    private final Credentials credentials;
    private final ToolRules rules;
    private final @Nullable Edge edge;

    /** @param edge tells what the gateway passed on, which is asked about no more; null at the gateway itself */
    public RuledTools(Credentials credentials, ToolRules rules, @Nullable Edge edge) {
        this.credentials = credentials;
        this.rules = rules;
        this.edge = edge;
    }

    /** Whether nobody could tell what rules say of it: then it is to be judged before anything is done of it. */
    public static boolean isUnjudged(RoutingContext ctx) {
        return Boolean.TRUE.equals(ctx.get(UNJUDGED));
    }

    @Override
    public void handle(RoutingContext ctx) {
        var request = ctx.request();
        var ruled = ruled(ctx);
        String bearer = ruled == null || passed(request) ? null : Bearer.of(request);
        if (ruled == null || bearer == null) {
            ctx.next();
            return;
        }
        request.pause(); // until it is known whether it may
        credentials
                .verify(bearer, null)
                .compose(verdict -> refusal(ctx, verdict.workspaceHolder(), ruled))
                .onComplete(known -> request.resume())
                .onSuccess(refusal -> refusal.ifPresentOrElse(why -> ctx.fail(ApiError.forbidden(why)), ctx::next))
                .onFailure(ctx::fail);
    }

    private Future<Optional<String>> refusal(RoutingContext ctx, @Nullable UUID workspace, Ruled ruled) {
        if (workspace == null) {
            return Future.succeededFuture(Optional.empty());
        }
        var refusal = rules.refusal(workspace, ruled.tool);
        return ruled.later ? refusal.recover(failure -> judgedLater(ctx, failure)) : refusal;
    }

    private static Future<Optional<String>> judgedLater(RoutingContext ctx, Throwable failure) {
        if (failure instanceof ApiError error && error.kind() == ApiError.Kind.UNAVAILABLE) {
            ctx.put(UNJUDGED, true);
            return Future.succeededFuture(Optional.empty());
        }
        return Future.failedFuture(failure);
    }

    private boolean passed(HttpServerRequest request) {
        return edge != null && edge.passed(request);
    }

    private static @Nullable Ruled ruled(RoutingContext ctx) {
        var method = ctx.request().method();
        var found = ROUTES.find(ctx.normalizedPath());
        return found == null
                ? null
                : found.value().get(HttpMethod.HEAD.equals(method) ? "GET" : method.name()); // as routes take it
    }
}
