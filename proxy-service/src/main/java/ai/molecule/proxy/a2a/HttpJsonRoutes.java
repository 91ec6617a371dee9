package ai.molecule.proxy.a2a;

import ai.molecule.common.ApiError;
import ai.molecule.common.json.Json;
import ai.molecule.proxy.a2a.admission.A2aRequest;
import ai.molecule.proxy.a2a.calls.A2aAnswer;
import ai.molecule.proxy.bridge.HttpJsonForm;
import ai.molecule.proxy.json.JsonScanner;
import ai.molecule.proxy.protocol.Protocol;
import ai.molecule.proxy.streams.EventText;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * HTTP+JSON of A2A 1.0: a path for each operation. Each becomes the request of JSON-RPC that says the same, and goes the way of all; so an agent
 * need not have this binding, nor 1.0.
 */
public final class HttpJsonRoutes {

    private static final Map<String, String> SENDING =
            Map.of("message:send", "SendMessage", "message:stream", "SendStreamingMessage");
    private static final int BAD_REQUEST = 400;
    private static final int FAILED = 500;
    private static final String CANCEL = ":cancel";
    private static final String SUBSCRIBE = ":subscribe";

    /** The parameters that a query may have, and how each is written in it. */
    private static final Map<String, InQuery> IN_QUERIES = Map.of(
            "tenant", InQuery.TEXT,
            "contextId", InQuery.TEXT,
            "status", InQuery.TEXT,
            "pageToken", InQuery.TEXT,
            "statusTimestampAfter", InQuery.TEXT,
            "pageSize", InQuery.NUMBER,
            "historyLength", InQuery.NUMBER,
            "includeArtifacts", InQuery.TRUTH);

    private enum InQuery {
        TEXT,
        NUMBER,
        TRUTH;

        /** What is not of the type stays a text, which whoever reads it refuses by its name. */
        void put(ObjectNode params, String name, String value) {
            if (this == NUMBER && value.matches("-?\\d{1,9}")) {
                params.put(name, Integer.parseInt(value));
            } else if (this == TRUTH && (value.equals("true") || value.equals("false"))) {
                params.put(name, Boolean.parseBoolean(value));
            } else {
                params.put(name, value);
            }
        }
    }

    private final A2aRoutes rpc;

    HttpJsonRoutes(A2aRoutes rpc) {
        this.rpc = rpc;
    }

    /** Of a path that begins with a tenant: the workspace that the address is of, or there is no such path. */
    public static void requireTenant(RoutingContext ctx) {
        if (!ctx.pathParam("tenant").equalsIgnoreCase(ctx.pathParam("id"))) {
            throw ApiError.notFound("not found");
        }
    }

    /** {@code POST …/a2a/message:send} and {@code …/message:stream}. */
    public void send(RoutingContext ctx) {
        String method = SENDING.get(ctx.pathParam("operation"));
        if (method == null) {
            throw ApiError.notFound("not found");
        }
        rpc.send(
                ctx,
                body -> with(method, body, params -> params),
                HttpJsonRoutes::of10,
                this::bare,
                HttpJsonForm.CONTENT_TYPE);
    }

    /** An operation that has its parameters in the query. */
    public Handler<RoutingContext> withQuery(String method) {
        return ctx -> asked(ctx, method, query(ctx));
    }

    /** {@code GET …/a2a/tasks/:taskId} with {@code A2A-Version: 1.0}, and {@code …:subscribe}; without the version the task in its older form. */
    public void task(RoutingContext ctx) {
        String id = ctx.pathParam("taskId");
        if (id.endsWith(SUBSCRIBE)) {
            asked(ctx, "SubscribeToTask", query(ctx).put("id", without(id, SUBSCRIBE)));
        } else if (versionOf(ctx).isEmpty()) {
            rpc.task(ctx);
        } else {
            asked(ctx, "GetTask", query(ctx).put("id", id));
        }
    }

    /** {@code POST …/a2a/tasks/:taskId:cancel} and {@code …:subscribe}. */
    public void change(RoutingContext ctx) {
        String id = ctx.pathParam("taskId");
        boolean cancels = id.endsWith(CANCEL);
        if (!cancels && !id.endsWith(SUBSCRIBE)) {
            throw ApiError.notFound("not found");
        }
        String task = without(id, cancels ? CANCEL : SUBSCRIBE);
        String method = cancels ? "CancelTask" : "SubscribeToTask";
        rpc.send(
                ctx,
                body -> with(method, body, params -> params.put("id", task)),
                HttpJsonRoutes::of10,
                this::bare,
                HttpJsonForm.CONTENT_TYPE);
    }

    /** {@code GET …/a2a/tasks/:taskId/pushNotificationConfigs}. */
    public void receivers(RoutingContext ctx) {
        asked(ctx, "ListTaskPushNotificationConfigs", query(ctx).put("taskId", ctx.pathParam("taskId")));
    }

    /** {@code POST …/a2a/tasks/:taskId/pushNotificationConfigs}. */
    public void addReceiver(RoutingContext ctx) {
        String task = ctx.pathParam("taskId");
        rpc.send(
                ctx,
                body -> with("CreateTaskPushNotificationConfig", body, params -> params.put("taskId", task)),
                HttpJsonRoutes::of10,
                this::bare,
                HttpJsonForm.CONTENT_TYPE);
    }

    /** {@code GET} or {@code DELETE …/a2a/tasks/:taskId/pushNotificationConfigs/:configId}. */
    public Handler<RoutingContext> receiver(String method) {
        return ctx -> asked(
                ctx, method, query(ctx).put("taskId", ctx.pathParam("taskId")).put("id", ctx.pathParam("configId")));
    }

    private void asked(RoutingContext ctx, String method, ObjectNode params) {
        rpc.send(
                ctx,
                body -> HttpJsonForm.request(method, Json.bytes(params)),
                HttpJsonRoutes::of10,
                this::bare,
                HttpJsonForm.CONTENT_TYPE);
    }

    private static ObjectNode query(RoutingContext ctx) {
        ObjectNode params = Json.object();
        IN_QUERIES.forEach((name, type) -> {
            String value = ctx.request().getParam(name);
            if (value != null && !value.isEmpty()) {
                type.put(params, name, value);
            }
        });
        return params;
    }

    /** A body says nothing where it is empty. One that is no object stays as it is, and is refused once it is known who asks. */
    private static byte[] with(String method, byte[] body, UnaryOperator<ObjectNode> params) {
        if (body.length == 0) {
            return HttpJsonForm.request(method, Json.bytes(params.apply(Json.object())));
        }
        try {
            return JsonScanner.startsAsObject(body)
                            && JsonScanner.isJson(body)
                            && Json.parse(body) instanceof ObjectNode given
                    ? HttpJsonForm.request(method, Json.bytes(params.apply(given))) // what comes after it is none of it
                    : body;
        } catch (IOException notJson) {
            return body;
        }
    }

    private static String without(String text, String end) {
        return text.substring(0, text.length() - end.length());
    }

    private static String versionOf(RoutingContext ctx) {
        String header = ctx.request().getHeader(Protocol.VERSION_HEADER);
        String named = header == null ? ctx.request().getParam(Protocol.VERSION_HEADER) : header;
        return named == null ? "" : named.strip();
    }

    /** This binding is of 1.0 here; who names another version is told that by whoever judges versions. */
    private static A2aRequest of10(A2aRequest call) {
        Map<String, String> headers = new HashMap<>(call.passedOn());
        String named = headers.getOrDefault(Protocol.VERSION_HEADER, "").strip();
        boolean is03 = named.equals("0.3") || named.startsWith("0.3.");
        headers.put(Protocol.VERSION_HEADER, named.isEmpty() ? "1.0" : is03 ? "0.3 over HTTP+JSON" : named);
        return new A2aRequest(
                call.target(),
                call.caller(),
                call.source(),
                call.bearer(),
                call.timeout(),
                call.lastEventId(),
                headers,
                call.body(),
                call.written(),
                call.place());
    }

    /** Fails nothing: an answer of the platform's own stays as it is, with its status. */
    private A2aAnswer bare(A2aAnswer answer) {
        return switch (answer) {
            case A2aAnswer.Whole whole
            when whole.status() == 200 || isRefusedRequest(whole) ->
                whole(whole.body().getBytes());
            case A2aAnswer.Whole whole -> whole;
            case A2aAnswer.NoStream none -> {
                byte[] data = EventText.data(Buffer.buffer(none.event()));
                var told = HttpJsonForm.answer(data);
                yield told.status() == 200 || told.status() >= FAILED
                        ? new A2aAnswer.NoStream(EventText.ofData(new String(told.body(), StandardCharsets.UTF_8))
                                .toString())
                        : whole(data);
            }
            case A2aAnswer.Stream stream -> {
                stream.events()
                        .tell((n, data) -> List.of(HttpJsonForm.answer(data).body()));
                stream.events().openWith(HttpJsonRoutes::refuses);
                yield stream;
            }
        };
    }

    /** An agent that says no to what asks for a stream says so on one in JSON-RPC; here an error that begins it is the answer. */
    private static boolean refuses(HttpServerResponse out, byte[] first) {
        int status = Json.stored(new String(first, StandardCharsets.UTF_8))
                .path("error")
                .path("code")
                .asInt();
        if (status < BAD_REQUEST || status >= FAILED) {
            return false;
        }
        out.setChunked(false)
                .setStatusCode(status)
                .putHeader("Content-Type", A2aRoutes.JSON)
                .end(Buffer.buffer(first));
        return true;
    }

    /** What was sent is no JSON, which JSON-RPC says with a status of its own. */
    private static boolean isRefusedRequest(A2aAnswer.Whole whole) {
        return whole.status() == 400 && whole.body().toString().startsWith("{\"jsonrpc\"");
    }

    private static A2aAnswer.Whole whole(byte[] rpcAnswer) {
        var told = HttpJsonForm.answer(rpcAnswer);
        return new A2aAnswer.Whole(told.status(), Buffer.buffer(told.body()));
    }
}
