package ai.molecule.proxy.a2a;

import ai.molecule.common.auth.Bearer;
import ai.molecule.common.http.RequestId;
import io.vertx.ext.web.RoutingContext;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The HTTP face of {@link A2aService}: reads the request, writes the answer, decides nothing. */
public final class A2aRoutes {

    /** The trace, and what the A2A protocol says in headers. */
    private static final List<String> PASSED_ON =
            List.of("traceparent", "tracestate", "A2A-Version", "A2A-Extensions", "X-A2A-Extensions", "Last-Event-ID");

    private final A2aService a2a;

    A2aRoutes(A2aService a2a) {
        this.a2a = a2a;
    }

    /** {@code POST /workspaces/:id/a2a}: the agent's answer, whole or as a stream; errors as docs/wire/proxy.md lists them. */
    public void send(RoutingContext ctx) {
        a2a.send(callOf(ctx)).onSuccess(answer -> answer(ctx, answer)).onFailure(ctx::fail);
    }

    /** To be called once no request comes in any more. */
    public void stop() {
        a2a.stop();
    }

    private static A2aCall callOf(RoutingContext ctx) {
        var request = ctx.request();
        Map<String, String> passedOn = new HashMap<>();
        for (String name : PASSED_ON) {
            String value = request.getHeader(name);
            if (value != null) {
                passedOn.put(name, value);
            }
        }
        passedOn.put(RequestId.HEADER, RequestId.of(ctx));
        var body = ctx.body().buffer();
        return new A2aCall(
                ctx.pathParam("id"),
                request.getHeader("X-Workspace-ID"),
                Bearer.of(request),
                request.getHeader("X-Timeout"),
                passedOn,
                body == null ? new byte[0] : body.getBytes());
    }

    private static void answer(RoutingContext ctx, A2aAnswer answer) {
        switch (answer) {
            case A2aAnswer.Whole whole -> whole(ctx, whole);
            case A2aAnswer.Stream stream -> stream(ctx, stream);
        }
    }

    private static void whole(RoutingContext ctx, A2aAnswer.Whole answer) {
        if (!ctx.response().ended() && !ctx.response().closed()) {
            ctx.response()
                    .setStatusCode(answer.status())
                    .putHeader("Content-Type", "application/json")
                    .end(answer.body());
        }
    }

    private static void stream(RoutingContext ctx, A2aAnswer.Stream answer) {
        if (!ctx.response().closed()) {
            ctx.response()
                    .setStatusCode(answer.status())
                    .setChunked(true)
                    .putHeader("Content-Type", "text/event-stream")
                    .putHeader("Cache-Control", "no-cache")
                    .putHeader("X-Accel-Buffering", "no"); // nginx would hold events back
        }
        ctx.addEndHandler(ended -> answer.events().readerLeft());
        answer.events().relayTo(ctx.response());
    }
}
