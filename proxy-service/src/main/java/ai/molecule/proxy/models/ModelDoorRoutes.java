package ai.molecule.proxy.models;

import static java.util.Objects.requireNonNull;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.db.Postgres;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.PathIds;
import ai.molecule.common.models.ModelProtocol;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.impl.RoutingContextInternal;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The HTTP face of the model door. Every error is in the shape of the protocol it was asked in. */
public final class ModelDoorRoutes {

    private static final Logger LOGGER = LoggerFactory.getLogger(ModelDoorRoutes.class);

    private final ModelCalls calls;

    ModelDoorRoutes(ModelCalls calls) {
        this.calls = calls;
    }

    /** {@code POST} of one operation, whose model stands in the body. */
    public Handler<RoutingContext> ask(ModelOperation operation) {
        return ctx -> make(ctx, operation, null);
    }

    /** {@code POST /models/google/v1beta/models/<model>:<verb>}. */
    public void askGoogle(RoutingContext ctx) {
        String named = requireNonNull(ctx.pathParam("model"));
        int colon = Math.max(0, named.lastIndexOf(':'));
        String verb = named.substring(colon);
        Stream.of(ModelOperation.GENERATE, ModelOperation.STREAM_GENERATE, ModelOperation.COUNT_TOKENS)
                .filter(operation -> operation.verb().equals(verb))
                .findFirst()
                .ifPresentOrElse(
                        operation -> make(ctx, operation, named.substring(0, colon)),
                        () -> ModelCall.tell(
                                ctx,
                                ModelProtocol.GOOGLE,
                                ApiError.notFound(
                                        "there is generateContent, streamGenerateContent and countTokens behind a model's name and a colon")));
    }

    /** {@code GET …/models} of one protocol: what this workspace may use in it, as the provider of that name lists its own. */
    public Handler<RoutingContext> list(ModelProtocol protocol) {
        return ctx -> ModelList.of(calls, workspaceOf(ctx))
                .onSuccess(list -> Answers.json(ctx, Future.succeededFuture(list.in(protocol))))
                .onFailure(failure -> tell(ctx, protocol, failure));
    }

    /** {@code GET …/models/:model} of one protocol: whether this workspace may use it, as the provider of that name shows its own. */
    public Handler<RoutingContext> show(ModelProtocol protocol) {
        return ctx -> ModelList.of(calls, workspaceOf(ctx))
                .map(list -> list.one(protocol, requireNonNull(ctx.pathParam("model"))))
                .onSuccess(model -> Answers.json(ctx, Future.succeededFuture(model)))
                .onFailure(failure -> tell(ctx, protocol, failure));
    }

    /** {@code GET /models}: every provider with what it speaks, whether it may be used, and the models whose price is known. */
    public void listAll(RoutingContext ctx) {
        Answers.json(ctx, ModelList.of(calls, workspaceOf(ctx)).map(ModelList::whole));
    }

    /** {@code GET /model-providers}: for people and their programs, which providers and models there are, and which all may use. */
    public void listForAll(RoutingContext ctx) {
        Answers.json(ctx, ModelList.ofAll(calls).map(ModelList::names));
    }

    /** {@code GET /workspaces/:id/models}: the same of one workspace, with its own secrets and aliases. */
    public void listOf(RoutingContext ctx) {
        var id = PathIds.workspace(ctx);
        Answers.json(
                ctx,
                calls.requireWorkspace(id)
                        .compose(known -> ModelList.of(calls, id))
                        .map(ModelList::names));
    }

    /** Asked before a body is read. */
    public void requireRoom(RoutingContext ctx) {
        calls.requireRoom();
    }

    private void make(RoutingContext ctx, ModelOperation operation, @Nullable String model) {
        var read = ctx.body().buffer();
        byte[] body = read == null ? new byte[0] : read.getBytes();
        ((RoutingContextInternal) ctx).setBody(null); // the context lives as long as the answer
        attempt(ctx, operation, body, model).onFailure(failure -> tell(ctx, operation.protocol(), failure));
    }

    private Future<?> attempt(RoutingContext ctx, ModelOperation operation, byte[] body, @Nullable String model) {
        try {
            boolean events = PassedQuery.asksForEvents(ctx.request().query());
            return calls.make(ctx, workspaceOf(ctx), ModelRequest.read(operation, body, model, events));
        } catch (ApiError refused) {
            return Future.failedFuture(refused);
        }
    }

    private static UUID workspaceOf(RoutingContext ctx) {
        return requireNonNull(Caller.of(ctx).workspaceId(), "let in by ModelDoor");
    }

    /** Whatever it is, in the protocol's own shape. */
    static void tell(RoutingContext ctx, ModelProtocol protocol, Throwable failure) {
        if (failure instanceof ApiError error) {
            ModelCall.tell(ctx, protocol, error);
            return;
        }
        var outage = Postgres.outage(failure);
        if (outage.isEmpty()) {
            LOGGER.atError().setCause(failure).log("a call of a model failed");
        }
        ModelCall.tell(ctx, protocol, outage.orElseGet(() -> ApiError.internal("internal error")));
    }
}
