package ai.molecule.proxy.traces;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Bearer;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.tracing.Tracing;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.ext.web.RoutingContext;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** {@code POST /v1/traces}. */
public final class AgentSpanRoutes {

    private final Guards guards;
    private final Tracing tracing;

    public AgentSpanRoutes(Guards guards, Tracing tracing) {
        this.guards = guards;
        this.tracing = tracing;
    }

    /** An export request of OpenTelemetry's, as JSON, by an agent's own token → what was taken; 404 where no traces are collected. */
    public void take(RoutingContext ctx) {
        Answers.json(
                ctx,
                guards.whose(Bearer.of(ctx.request()))
                        .compose(Caller::refuseSuspended)
                        .compose(Caller::refuseUnadmitted)
                        .map(caller -> taken(ctx, caller.workspaceId())));
    }

    private ObjectNode taken(RoutingContext ctx, @Nullable UUID workspace) {
        if (workspace == null) {
            throw ApiError.unauthenticated("missing workspace auth token");
        }
        var told = ToldSpans.of(JsonBody.of(ctx, ToldSpans.COMPLAINT).members(), workspace);
        if (!tracing.take(told.spans())) {
            throw ApiError.notFound("no traces are collected here");
        }
        var answer = JsonNodeFactory.instance.objectNode();
        if (told.refused() > 0) {
            answer.putObject("partialSuccess")
                    .put("rejectedSpans", String.valueOf(told.refused()))
                    .put("errorMessage", ToldSpans.WANTED);
        }
        return answer;
    }
}
