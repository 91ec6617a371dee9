package ai.molecule.proxy.mcp;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Bearer;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.CredentialWatch;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.http.AccessLog;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.Edge;
import ai.molecule.common.http.PathIds;
import ai.molecule.common.json.Json;
import ai.molecule.proxy.policy.PolicyBook;
import ai.molecule.runtime.mcp.McpMethods;
import ai.molecule.runtime.mcp.McpOverHttp;
import ai.molecule.runtime.mcp.McpOverHttp.Reply;
import ai.molecule.runtime.mcp.TaskSubscription;
import ai.molecule.runtime.tools.Approving;
import ai.molecule.runtime.tools.ToolSpec;
import ai.molecule.runtime.tools.Toolbox;
import ai.molecule.runtime.tools.Tools;
import ai.molecule.runtime.tools.Workspaces;
import ai.molecule.sdk.ClientConfig;
import ai.molecule.sdk.TokenStore;
import ai.molecule.sdk.TraceContext;
import ai.molecule.sdk.WorkspaceClient;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * {@code /workspaces/:id/mcp}: the tools of a workspace for any MCP client that has its token, over streamable HTTP without sessions, so that
 * every request may reach another replica. A tool is an ordinary client of this platform: it asks the front door, where its caller came in,
 * with its caller's own token, and may do what that may.
 *
 * <p>Tools block, so each request has a virtual thread; at most {@value #AT_ONCE_MAX} are answered at once, and {@value #AT_ONCE_OF_ONE_MAX} of
 * one workspace. Of these {@value #SUBSCRIBED_MAX} may be subscriptions, which last for minutes, and {@value #SUBSCRIBED_OF_ONE_MAX} of one
 * workspace. A client that leaves cancels its call. To be used on one event loop.
 */
public final class McpRoutes {

    static final int AT_ONCE_MAX = 256;
    static final int AT_ONCE_OF_ONE_MAX = 32;
    static final int SUBSCRIBED_MAX = 64;
    static final int SUBSCRIBED_OF_ONE_MAX = 4;

    private static final String CALL = "tools/call";

    /** Messages in one, as MCP has it. */
    private static final int BATCH_MAX = 32;

    private final Guards guards;
    private final CredentialWatch<Object> open;
    private final PolicyBook policy;
    private final Optional<String> orgId;
    private final Edge edge;
    private final McpPlaces places = new McpPlaces(AT_ONCE_MAX, AT_ONCE_OF_ONE_MAX);
    private final McpPlaces subscribed = new McpPlaces(SUBSCRIBED_MAX, SUBSCRIBED_OF_ONE_MAX);

    /**
     * @param open ends calls and subscriptions with the credentials that began them
     * @param policy whose rules may refuse tools
     * @param orgId the only organisation that is served here
     */
    public McpRoutes(
            Guards guards, CredentialWatch<Object> open, PolicyBook policy, @Nullable String orgId, Edge edge) {
        this.guards = guards;
        this.open = open;
        this.policy = policy;
        this.edge = edge;
        this.orgId = Optional.ofNullable(orgId);
    }

    /** A message of MCP's → its answer; 202 for what has none, 405 for another method. */
    public void answer(RoutingContext ctx) {
        UUID id = PathIds.workspace(ctx);
        String bearer = Bearer.of(ctx.request());
        agent(bearer, id)
                .compose(caller -> refused(id, message(ctx.body().buffer())))
                .onSuccess(refused -> begin(ctx, id, bearer, refused))
                .onFailure(ctx::fail);
    }

    private Future<Caller> agent(@Nullable String bearer, UUID id) {
        return guards.agent(bearer, id).compose(Caller::refuseSuspended);
    }

    /** There is no stream of the server's own, and no session to end. */
    public void refuse(RoutingContext ctx) {
        ctx.response().putHeader("Allow", "POST");
        Answers.bytes(ctx, 405, Buffer.buffer("{\"error\":\"only POST is supported\"}"));
    }

    /** Of the tools that a message calls, those that a rule of the policy refuses, and why. */
    private Future<Map<String, String>> refused(UUID id, JsonNode message) {
        Map<String, String> refused = new HashMap<>();
        var asked = StreamSupport.stream((message.isArray() ? message : List.of(message)).spliterator(), false)
                .filter(each -> each.path("method").asText().equals(CALL))
                .map(each -> each.path("params").path("name").asText())
                .distinct()
                .limit(BATCH_MAX)
                .map(tool -> policy.refusal(id, tool).onSuccess(why -> why.ifPresent(says -> refused.put(tool, says))))
                .toList();
        return asked.isEmpty()
                ? Future.succeededFuture(refused)
                : Future.all(asked).map(refused);
    }

    /** As it is, but that it fails where it is refused. */
    private static ToolSpec obeying(ToolSpec tool, Map<String, String> refused) {
        String why = refused.get(tool.name());
        return why == null
                ? tool
                : new ToolSpec(
                        tool.name(),
                        tool.brief(),
                        tool.whenToUse(),
                        tool.inputSchema(),
                        (toolbox, arguments) -> "Error: " + why,
                        tool.section(),
                        tool.handsOn());
    }

    private void begin(RoutingContext ctx, UUID id, @Nullable String bearer, Map<String, String> closed) {
        var refused = places.take(id);
        if (refused.isPresent()) {
            ctx.fail(refused.get());
            return;
        }
        Asked asked;
        try {
            asked = places.orLeave(id, () -> asked(ctx, id, bearer, closed));
        } catch (RuntimeException unforeseen) {
            ctx.fail(unforeseen);
            return;
        }
        var loop = ctx.vertx().getOrCreateContext();
        var worker = Thread.ofVirtual().name("mcp").unstarted(() -> {
            Runnable end;
            try {
                Optional<Reply> reply = asked.reply();
                var full = reply.flatMap(Reply::subscription)
                        .flatMap(begun -> subscribe(id, asked, begun, new McpEvents(ctx.response(), loop)));
                end = full.<Runnable>map(error -> () -> ctx.fail(error))
                        .orElse(() -> reply.ifPresent(there -> {
                            tell(ctx, asked.message(), there);
                            answer(ctx, there);
                        }));
            } catch (RuntimeException unforeseen) {
                end = () -> ctx.fail(unforeseen);
            }
            Runnable ended = end;
            loop.runOnContext(done -> {
                places.leave(id);
                ended.run();
            });
        });
        ctx.addEndHandler(ended -> {
            open.forget(ctx);
            worker.interrupt();
        });
        open.watch(
                ctx,
                Set.of(id),
                () -> agent(bearer, id),
                ended -> ctx.response().reset());
        worker.start();
    }

    private static void tell(RoutingContext ctx, JsonNode message, Reply reply) {
        var span = AccessLog.spanOf(ctx);
        if (span != null) {
            McpSpan.tell(span, message, reply);
        }
    }

    /** Why nothing is told; else, at its end, nothing. */
    private Optional<ApiError> subscribe(UUID id, Asked asked, TaskSubscription begun, McpEvents events) {
        var full = subscribed.take(id);
        if (full.isEmpty()) {
            try {
                asked.tell(begun, events);
            } finally {
                subscribed.leave(id);
            }
        }
        return full;
    }

    private Asked asked(RoutingContext ctx, UUID id, @Nullable String bearer, Map<String, String> refused) {
        var request = ctx.request();
        var client = new ClientConfig(
                id.toString(),
                ownAddress(request),
                new CallersToken(Optional.ofNullable(bearer)),
                orgId,
                Optional.empty());
        var toolbox = new Toolbox(new Workspaces(List.of(new WorkspaceClient(client))), Optional.empty());
        return new Asked(
                McpMethods.atThePlatform(
                        toolbox,
                        Tools.AT_THE_PLATFORM.stream()
                                .map(tool -> obeying(tool, refused))
                                .toList(),
                        List.of(obeying(Approving.COMING_AGAIN, refused)),
                        bearer == null ? id.toString() : bearer,
                        edge.originOf(request) + "/"),
                message(ctx.body().buffer()),
                MultiMap.caseInsensitiveMultiMap().addAll(request.headers()),
                TraceContext.of(Optional.ofNullable(AccessLog.traceparentOf(ctx)), Optional.empty()));
    }

    private static JsonNode message(@Nullable Buffer body) {
        try {
            return body == null ? MissingNode.getInstance() : Json.parse(body.getBytes());
        } catch (IOException noJson) {
            return MissingNode.getInstance();
        }
    }

    /** Where the caller came in, which may be the agents' own door, is where its tools do. */
    private static String ownAddress(HttpServerRequest request) {
        var local = request.localAddress();
        String host = local.hostAddress();
        return "http://" + (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + local.port();
    }

    private static void answer(RoutingContext ctx, Reply reply) {
        if (reply.subscription().isPresent()) {
            if (!ctx.response().ended() && !ctx.response().closed()) {
                ctx.response().end();
            }
        } else if (reply.body().isPresent()) {
            Answers.bytes(ctx, reply.status(), Buffer.buffer(reply.body().get().toString()));
        } else if (!ctx.response().closed()) {
            ctx.response().setStatusCode(reply.status()).end();
        }
    }

    /** A request as it was sent, which another thread may read. */
    private record Asked(McpMethods methods, JsonNode message, MultiMap headers, TraceContext trace) {

        /** Empty when its caller has left. */
        Optional<Reply> reply() {
            return trace.during(() -> {
                try {
                    return Optional.of(McpOverHttp.reply(methods, message, headers::get));
                } catch (InterruptedException left) {
                    return Optional.empty();
                }
            });
        }

        /** For as long as it lasts, or its caller stays. */
        void tell(TaskSubscription subscription, TaskSubscription.Listener listener) {
            trace.during(() -> {
                try {
                    subscription.tell(listener);
                } catch (InterruptedException | IOException left) {
                    // the caller did
                }
                return Optional.empty();
            });
        }
    }

    /** As it came; none where none is asked for. What the platform would issue in its place is not kept. */
    private record CallersToken(Optional<String> bearer) implements TokenStore {

        @Override
        public Optional<String> load() {
            return bearer;
        }

        @Override
        public void save(String token) {
            throw new UnsupportedOperationException("a tool registers nobody");
        }

        /** Never shows the token. */
        @Override
        public String toString() {
            return "the caller's own token";
        }
    }
}
