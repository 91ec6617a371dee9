package ai.molecule.common.http;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Bearer;
import ai.molecule.common.auth.Credentials;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.JudgeCall;
import ai.molecule.common.bus.registry.JudgeCall.Verdict;
import ai.molecule.common.routing.PathTree;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Rules of the policy about tools, for workspaces that do by REST what a tool does. Asked of whoever shows a workspace's token, before any route;
 * what came through the front door was asked there. Only tools that are one route are among them: what a message does is judged by its method, and
 * what an agent reads of its own activity is also how it gets its messages.
 */
public final class RuledTools implements Handler<RoutingContext> {

    /** Says why a workspace may not call a tool; empty where it may. Fails where nobody can tell. */
    @FunctionalInterface
    public interface Judge {
        Future<Optional<String>> refusal(UUID workspace, String tool);
    }

    private static final PathTree<Map<String, String>> TOOLS = new PathTree<>();

    static {
        TOOLS.put("/workspaces/:id/notify", Map.of("POST", "send_message_to_user"));
        TOOLS.put("/workspaces/:id/memories", Map.of("POST", "commit_memory", "GET", "recall_memory"));
        TOOLS.put("/workspaces/:id/delegate", Map.of("POST", "delegate_task_async"));
    }

    private final Credentials credentials;
    private final Judge judge;
    private final @Nullable Edge edge;

    /** @param edge tells what the front door passed on, which is asked about no more; null at the front door itself */
    public RuledTools(Credentials credentials, Judge judge, @Nullable Edge edge) {
        this.credentials = credentials;
        this.judge = judge;
        this.edge = edge;
    }

    /** Asks the registry each time. */
    public static Judge onTheBus(Bus bus) {
        return (workspace, tool) -> bus.call(
                        JudgeCall.CONTRACT, new JudgeCall(workspace, null, JudgeCall.TOOL_CALL, tool))
                .map(said -> said.verdicts().stream()
                        .filter(Verdict::enforced)
                        .findFirst()
                        .map(Verdict::sentence));
    }

    @Override
    public void handle(RoutingContext ctx) {
        var request = ctx.request();
        String tool = toolOf(ctx);
        String bearer = tool == null || passed(request) ? null : Bearer.of(request);
        if (tool == null || bearer == null) {
            ctx.next();
            return;
        }
        request.pause(); // until it is known whether it may
        credentials
                .verify(bearer, null)
                .compose(verdict -> refusal(verdict.workspaceHolder(), tool))
                .onComplete(known -> request.resume())
                .onSuccess(refusal -> refusal.ifPresentOrElse(why -> ctx.fail(ApiError.forbidden(why)), ctx::next))
                .onFailure(ctx::fail);
    }

    private Future<Optional<String>> refusal(@Nullable UUID workspace, String tool) {
        return workspace == null ? Future.succeededFuture(Optional.empty()) : judge.refusal(workspace, tool);
    }

    private boolean passed(HttpServerRequest request) {
        return edge != null && edge.passed(request);
    }

    private static @Nullable String toolOf(RoutingContext ctx) {
        var found = TOOLS.find(ctx.normalizedPath());
        return found == null ? null : found.value().get(ctx.request().method().name());
    }
}
