package ai.molecule.proxy.a2a;

import ai.molecule.common.auth.Bearer;
import ai.molecule.common.auth.CredentialWatch;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.http.AccessLog;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.Connections;
import ai.molecule.common.http.RequestId;
import ai.molecule.common.tracing.TraceHeaders;
import ai.molecule.proxy.a2a.admission.A2aRequest;
import ai.molecule.proxy.a2a.admission.Admission;
import ai.molecule.proxy.a2a.calls.A2aAnswer;
import ai.molecule.proxy.a2a.calls.Calls;
import ai.molecule.proxy.a2a.tasks.TaskService;
import ai.molecule.proxy.passports.PassportBook;
import ai.molecule.proxy.protocol.Protocol;
import ai.molecule.proxy.streams.Reader;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.impl.RoutingContextInternal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The HTTP face of {@link TaskService}: reads the request, writes the answer, decides nothing. */
public final class A2aRoutes {

    /** The trace, whose behalf it is on, and what the A2A protocol says in headers. */
    private static final List<String> PASSED_ON = List.of(
            TraceHeaders.PARENT,
            TraceHeaders.STATE,
            PassportBook.HEADER,
            "A2A-Version",
            "A2A-Extensions",
            "X-A2A-Extensions");

    static final String JSON = "application/json";

    private static final int LENGTH_MAX_DIGITS = 18;
    private static final byte[] NOTHING = {};

    private final TaskService tasks;
    private final Calls calls;
    private final Admission admission;
    private final CredentialWatch<Object> open;

    /** @param open ends streams with the credentials that opened them */
    A2aRoutes(TaskService tasks, Calls calls, Admission admission, CredentialWatch<Object> open) {
        this.admission = admission;
        this.open = open;
        this.tasks = tasks;
        this.calls = calls;
    }

    /** The other binding of the same. */
    public HttpJsonRoutes httpJson() {
        return new HttpJsonRoutes(this);
    }

    /** {@code POST /workspaces/:id/a2a}: the agent's answer, whole or as a stream; errors as docs/wire/proxy.md lists them. */
    public void send(RoutingContext ctx) {
        send(ctx, body -> body, call -> call, answer -> answer, JSON);
    }

    /**
     * The same of a request that another binding carries.
     *
     * @param read makes the JSON-RPC request of what was sent
     * @param tell makes what is answered of the answer to that
     * @param contentType of an answer; errors and what the platform says by itself are JSON in every binding
     */
    void send(
            RoutingContext ctx,
            UnaryOperator<byte[]> read,
            UnaryOperator<A2aRequest> asked,
            UnaryOperator<A2aAnswer> tell,
            String contentType) {
        Promise<Void> written = Promise.promise();
        ctx.addEndHandler(ended -> {
            if (ended.failed()) {
                written.tryFail(ended.cause());
            }
        });
        var call = asked.apply(callOf(ctx, read, written.future()));
        var span = AccessLog.spanOf(ctx);
        if (span != null) {
            A2aSpan.tell(span, call);
        }
        var place = call.place();
        tasks.send(call)
                .map(tell)
                .onComplete(done -> place.run())
                .onSuccess(sent -> {
                    if (span != null) {
                        A2aSpan.under(span, call);
                    }
                })
                .onSuccess(answer -> answer(ctx, answer, contentType, call)
                        .onSuccess(done -> written.tryComplete())
                        .onFailure(written::tryFail))
                .onFailure(failure -> {
                    ctx.addEndHandler(ended -> written.tryComplete());
                    ctx.fail(failure);
                });
    }

    /** {@code GET /workspaces/:id/a2a/tasks/:taskId}: the task as its agent tells of it, else as the journal saw it. */
    public void task(RoutingContext ctx) {
        tasks.task(callOf(ctx, body -> body, Future.succeededFuture()), ctx.pathParam("taskId"))
                .onSuccess(task -> Answers.bytes(ctx, 200, Buffer.buffer(task)))
                .onFailure(ctx::fail);
    }

    /** Asked before a message's body is read: throws UNAVAILABLE while there is no room for it. */
    public void requireRoom(RoutingContext ctx) {
        calls.requireRoom(ctx.pathParam("id"), lengthOf(ctx.request()));
    }

    /** As the head says it; 0 where it does not. */
    private static long lengthOf(HttpServerRequest request) {
        String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
        if (length == null || length.isEmpty() || length.length() > LENGTH_MAX_DIGITS) {
            return 0;
        }
        boolean number = length.chars().allMatch(digit -> digit >= '0' && digit <= '9');
        return number ? Long.parseLong(length) : 0;
    }

    private A2aRequest callOf(RoutingContext ctx, UnaryOperator<byte[]> reader, Future<Void> written) {
        var request = ctx.request();
        Map<String, String> passedOn = new HashMap<>();
        for (String name : PASSED_ON) {
            String value = request.getHeader(name);
            if (value != null) {
                passedOn.put(name, value);
            }
        }
        var span = AccessLog.spanOf(ctx);
        if (span != null) {
            passedOn.put(
                    TraceHeaders.PARENT, span.traceparent()); // for a call that comes when this request is long over
        }
        String version = request.getParam(Protocol.VERSION_HEADER);
        if (version != null) {
            passedOn.putIfAbsent(Protocol.VERSION_HEADER, version);
        }
        passedOn.put(RequestId.HEADER, RequestId.of(ctx));
        var read = ctx.body().buffer();
        byte[] body = reader.apply(read == null ? new byte[0] : read.getBytes());
        ((RoutingContextInternal) ctx).setBody(null); // the context lives as long as the caller waits
        return new A2aRequest(
                ctx.pathParam("id"),
                request.getHeader("X-Workspace-ID"),
                request.getHeader("X-Source-Workspace-Id"),
                Bearer.of(request),
                request.getHeader("X-Timeout"),
                request.getHeader("Last-Event-ID"),
                passedOn,
                body,
                written,
                body.length == 0 ? () -> {} : calls.arrived(body));
    }

    /** Completes when the last byte was written, fails when the caller is gone. */
    private Future<Void> answer(RoutingContext ctx, A2aAnswer answer, String contentType, A2aRequest call) {
        boolean gone = ctx.response().ended() || ctx.response().closed();
        return switch (answer) {
            case A2aAnswer.Whole whole
            when !gone ->
                ctx.response()
                        .setStatusCode(whole.status())
                        .putHeader("Content-Type", whole.status() == 200 ? contentType : JSON)
                        .end(whole.body());
            case A2aAnswer.NoStream why when !gone -> events(ctx, 200).end(why.event());
            case A2aAnswer.Stream stream -> stream(ctx, stream, call);
            default -> Future.failedFuture("the caller is gone");
        };
    }

    private Future<Void> stream(RoutingContext ctx, A2aAnswer.Stream answer, A2aRequest call) {
        if (ctx.response().closed()) {
            answer.events().left();
            return Future.failedFuture("the caller is gone");
        }
        Promise<Void> over = Promise.promise();
        ctx.addEndHandler(ended -> {
            open.forget(ctx);
            answer.events().left();
            over.handle(ended);
        });
        if (call.bearer() != null) {
            var asked = call.saying(NOTHING); // the stream outlasts the message by far
            watch(ctx, asked, null, answer.events());
            admission.stays(asked).onSuccess(sender -> {
                if (sender != null && !over.future().isComplete()) {
                    watch(ctx, asked, sender, answer.events());
                }
            });
        }
        answer.events()
                .writeTo(
                        events(ctx, answer.status()),
                        () -> Connections.cut(ctx.request().connection()));
        return over.future();
    }

    /** @param sender whose token it is; null while that is not known, or for a person */
    private void watch(RoutingContext ctx, A2aRequest asked, @Nullable UUID sender, Reader events) {
        var workspaces = Stream.concat(Ids.find(asked.target()).stream(), Stream.ofNullable(sender))
                .collect(Collectors.toUnmodifiableSet());
        open.watch(ctx, workspaces, () -> admission.stays(asked), refused -> events.revoke());
    }

    private static HttpServerResponse events(RoutingContext ctx, int status) {
        return ctx.response()
                .setStatusCode(status)
                .setChunked(true)
                .putHeader("Content-Type", "text/event-stream")
                .putHeader("Cache-Control", "no-cache")
                .putHeader("X-Accel-Buffering", "no"); // nginx would hold events back
    }
}
