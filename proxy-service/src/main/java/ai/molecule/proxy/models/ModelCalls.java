package ai.molecule.proxy.models;

import ai.molecule.common.ApiError;
import ai.molecule.common.http.AccessLog;
import ai.molecule.common.models.ModelProtocol;
import ai.molecule.common.models.Provider;
import ai.molecule.common.models.ProviderTable;
import ai.molecule.common.models.ProviderTable.Chosen;
import ai.molecule.common.net.SafeDialer;
import ai.molecule.proxy.models.ModelCallRow.Outcome;
import ai.molecule.proxy.models.ProviderAccesses.Access;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.ext.web.RoutingContext;
import java.time.Clock;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Lets calls out: which provider, whose key, is there a place, is there money, in this order, and only then anything leaves. To be used on
 * one event loop.
 */
final class ModelCalls {

    private static final int HEADERS_MAX_BYTES = 64 * 1024;
    private static final Pattern CONTEXT = Pattern.compile("[A-Za-z0-9._:-]{1,128}");
    private static final int TRACE_ID_START = 3;
    private static final int TRACE_ID_END = 35;

    private final ProviderTable table;
    private final ModelLimits limits;
    private final ProviderAccesses accesses;
    private final SafeDialer dialer;
    private final boolean replays;
    private final Ledger ledger;
    private final Clock clock;
    private final HttpClient client;
    private final Optional<CassettePlayer> player;
    /** The addresses a table names are asked together, one of a workspace's own alone. */
    private record LineKey(String provider, @Nullable UUID workspaceId, boolean trusted) {}

    private final Map<LineKey, ProviderLine> lines = new HashMap<>();
    private final Map<UUID, Integer> callsOf = new HashMap<>();
    private final Set<ModelCall> underWay = new HashSet<>();
    private int calls;
    private long bytes;
    private boolean stopped;

    ModelCalls(
            Vertx vertx,
            ModelsConfig config,
            ProviderAccesses accesses,
            SafeDialer dialer,
            Ledger ledger,
            Clock clock) {
        this.table = config.providers();
        this.limits = config.limits();
        this.accesses = accesses;
        this.dialer = dialer;
        this.replays = config.cassettes()
                .filter(tapes -> tapes.mode() == CassetteConfig.Mode.REPLAY)
                .isPresent();
        this.ledger = ledger;
        this.clock = clock;
        this.client = vertx.createHttpClient(
                new HttpClientOptions()
                        .setConnectTimeout((int) limits.connect().toMillis())
                        .setMaxHeaderSize(HEADERS_MAX_BYTES)
                        .setDecompressionSupported(false),
                new PoolOptions().setHttp1MaxSize(limits.callsMax()).setMaxWaitQueueSize(limits.callsMax()));
        this.player = config.cassettes().map(tapes -> new CassettePlayer(vertx, tapes, limits, this::client));
    }

    /** Throws UNAVAILABLE while there is no room for a request, or for its row. */
    void requireRoom() {
        if (stopped || bytes >= limits.requestsMaxBytes() || !ledger.hasRoom()) {
            throw ApiError.platformUnavailable();
        }
    }

    /** @return fails with what the caller is to be told when nothing left; else the answer, whatever it is, goes to the caller */
    Future<?> make(RoutingContext ctx, UUID workspaceId, ModelRequest request) {
        var asked = table.choose(request.operation().protocol(), request.model());
        var provider = asked.provider();
        var id = UUID.randomUUID();
        var now = clock.instant();
        long input = request.operation().billed() ? request.estimatedInput() : 0;
        return accessTo(workspaceId, provider).compose(access -> {
            boolean own = access.url().isPresent();
            var chosen = own ? new Chosen(provider, asked.model(), null) : asked; // nobody knows what it costs there
            var planned = new PlannedCall(
                    id,
                    workspaceId,
                    contextOf(ctx),
                    traceOf(ctx),
                    now,
                    chosen,
                    request.operation(),
                    request.streams(),
                    input);
            var line = enter(workspaceId, provider, access, request.body().length);
            return allow(planned, request)
                    .onFailure(refused -> leave(workspaceId, line, request.body().length))
                    .onSuccess(allowance -> {
                        byte[] body = request.sentTo(provider, chosen.model(), bound(request, allowance));
                        var facts = new ModelCall.Facts(
                                planned,
                                dialTo(urlOf(ctx, request.operation(), chosen, access), chosen, access, request),
                                headersFor(ctx, request.operation().protocol(), provider, access));
                        run(
                                new ModelCall(ctx, facts, request, allowance, line, limits, ledger),
                                facts,
                                line,
                                body,
                                request.body().length);
                    });
        });
    }

    /** Recordings need no key. */
    private Future<Access> accessTo(UUID workspaceId, Provider provider) {
        return replays
                ? Future.succeededFuture(new Access(Optional.empty(), Optional.empty(), false))
                : accesses.accessTo(workspaceId, provider);
    }

    /** Whether this workspace may use a provider: whether its key exists. */
    Future<Boolean> mayUse(UUID workspaceId, Provider provider) {
        return replays ? Future.succeededFuture(true) : accesses.has(workspaceId, provider);
    }

    private HttpClient client() {
        return client;
    }

    int underWay() {
        return calls;
    }

    /** Of requests that have not been sent yet. */
    long bytesHeld() {
        return bytes;
    }

    /** Fails when calls are to be recorded or replayed and cannot be. */
    Future<?> ready() {
        return player.isPresent() ? player.get().ready() : Future.succeededFuture();
    }

    ProviderTable table() {
        return table;
    }

    /** Ends what is under way; its callers are told. */
    Future<?> stop() {
        stopped = true;
        var why = ApiError.unavailable("the platform restarts: try again");
        List.copyOf(underWay).forEach(call -> call.stop(Outcome.CUT, why));
        return player.isPresent() ? player.get().stop().eventually(client::close) : client.close();
    }

    private void run(ModelCall call, ModelCall.Facts facts, ProviderLine line, byte[] body, int size) {
        underWay.add(call);
        var held = new Object() {
            int bytes = size;
        };
        call.run(body, () -> {
                    bytes -= held.bytes;
                    held.bytes = 0;
                })
                .onComplete(over -> {
                    underWay.remove(call);
                    leave(facts.planned().workspaceId(), line, held.bytes);
                    held.bytes = 0;
                });
    }

    private Future<Allowance> allow(PlannedCall planned, ModelRequest request) {
        if (!request.operation().billed()) {
            return Future.succeededFuture(Allowance.withoutLimit(List.of()));
        }
        return ledger.allow(planned, outputOf(request));
    }

    /** What of the output is paid for before the call leaves. */
    private long outputOf(ModelRequest request) {
        if (request.operation() == ModelOperation.EMBEDDINGS) {
            return 0;
        }
        Long wanted = request.outputWanted();
        long most = request.streams() ? limits.slice() : limits.unstreamedOutput();
        return wanted == null ? most : request.streams() ? Math.min(wanted, most) : wanted;
    }

    /** An answer that comes whole cannot be stopped on its way, so it is asked for no longer than is paid for. */
    private static @Nullable Long bound(ModelRequest request, Allowance allowance) {
        boolean unbounded =
                !allowance.limited() || request.streams() || request.operation() == ModelOperation.EMBEDDINGS;
        return unbounded ? null : Long.valueOf(Math.max(1, allowance.tokens()));
    }

    /** Asked at an address of the workspace's, its health is nobody else's. */
    private ProviderLine enter(UUID workspaceId, Provider provider, Access access, int size) {
        boolean elsewhere = access.url().isPresent();
        if (stopped) {
            throw ApiError.unavailable("the platform restarts: try again");
        }
        int own = callsOf.getOrDefault(workspaceId, 0);
        if (own >= limits.workspaceCallsMax() || calls >= limits.callsMax()) {
            throw new ApiError(
                    ApiError.Kind.RATE_LIMITED,
                    "%d calls of models are under way%s, as many as may be: wait for one to end"
                            .formatted(
                                    own >= limits.workspaceCallsMax() ? own : calls,
                                    own >= limits.workspaceCallsMax() ? " for this workspace" : ""),
                    Map.of("retry_after", 1));
        }
        var line = lines.computeIfAbsent(
                new LineKey(provider.name(), elsewhere ? workspaceId : null, access.trusted()),
                first -> new ProviderLine(provider, limits, () -> lines.remove(first)));
        line.enter();
        calls++;
        callsOf.merge(workspaceId, 1, Integer::sum);
        bytes += size;
        return line;
    }

    private void leave(UUID workspaceId, ProviderLine line, int size) {
        line.leave();
        calls--;
        callsOf.computeIfPresent(workspaceId, (same, count) -> count == 1 ? null : count - 1);
        bytes -= size;
    }

    /**
     * To the recordings where there are any. The table is the operator's word, so its addresses are dialled wherever they lead; a secret of
     * a workspace's may be anybody's.
     */
    private Supplier<Future<HttpClientRequest>> dialTo(String url, Chosen chosen, Access access, ModelRequest request) {
        String provider = chosen.provider().name();
        if (player.isPresent()) {
            return () -> player.get().dial(provider, request.operation(), chosen.model(), url);
        }
        if (access.url().isPresent()) {
            return () -> dialer.open(HttpMethod.POST, url, access.trusted());
        }
        return () -> client.request(new RequestOptions()
                .setMethod(HttpMethod.POST)
                .setAbsoluteURI(url)
                .setFollowRedirects(false)
                .setTraceOperation("POST " + provider));
    }

    /** The query is the protocol's own, such as {@code alt=sse}, but for a key, which is the provider's affair and ours. */
    private static String urlOf(RoutingContext ctx, ModelOperation operation, Chosen chosen, Access access) {
        String base = access.urlFor(operation.protocol())
                .orElseGet(() -> chosen.provider().endpoints().getOrDefault(operation.protocol(), ""));
        String url = operation.urlAt(base, chosen.model());
        String query = ctx.request().query();
        if (query == null || query.isEmpty()) {
            return url;
        }
        String kept = String.join(
                "&",
                List.of(query.split("&", -1)).stream()
                        .filter(pair -> !pair.startsWith("key=") && !pair.isEmpty())
                        .toList());
        return kept.isEmpty() ? url : url + "?" + kept;
    }

    private static MultiMap headersFor(RoutingContext ctx, ModelProtocol protocol, Provider provider, Access access) {
        return PassedHeaders.there(ctx.request().headers(), provider.authAt(protocol), access.key());
    }

    private static @Nullable String contextOf(RoutingContext ctx) {
        String said = ctx.request().getHeader("X-Molecule-Context");
        return said != null && CONTEXT.matcher(said).matches() ? said : null;
    }

    private static @Nullable String traceOf(RoutingContext ctx) {
        String parent = AccessLog.traceparentOf(ctx);
        return parent == null ? null : parent.substring(TRACE_ID_START, TRACE_ID_END);
    }
}
