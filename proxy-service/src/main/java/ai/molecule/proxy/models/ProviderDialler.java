package ai.molecule.proxy.models;

import ai.molecule.common.models.ModelProtocol;
import ai.molecule.common.models.Provider;
import ai.molecule.common.models.ProviderTable.Chosen;
import ai.molecule.common.net.SafeDialer;
import ai.molecule.proxy.models.ProviderAccesses.Access;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * How calls reach providers: the recordings where there are any. The table is the operator's word, so its addresses are dialled wherever they
 * lead; a secret of a workspace's may be anybody's.
 */
final class ProviderDialler {

    private static final int HEADERS_MAX_BYTES = 64 * 1024;

    private final SafeDialer dialer;
    private final HttpClient client;
    private final boolean replays;
    private final Optional<CassettePlayer> player;

    ProviderDialler(Vertx vertx, ModelsConfig config, SafeDialer dialer) {
        var limits = config.limits();
        this.dialer = dialer;
        this.client = vertx.createHttpClient(
                new HttpClientOptions()
                        .setConnectTimeout((int) limits.connect().toMillis())
                        .setMaxHeaderSize(HEADERS_MAX_BYTES)
                        .setDecompressionSupported(false),
                new PoolOptions().setHttp1MaxSize(limits.callsMax()).setMaxWaitQueueSize(limits.callsMax()));
        this.replays = config.cassettes()
                .filter(tapes -> tapes.mode() == CassetteConfig.Mode.REPLAY)
                .isPresent();
        this.player = config.cassettes().map(tapes -> new CassettePlayer(vertx, tapes, limits, this::client));
    }

    private HttpClient client() {
        return client;
    }

    /** Whether recordings answer, which need no key and cost nothing. */
    boolean replays() {
        return replays;
    }

    /** Fails when calls are to be recorded or replayed and cannot be. */
    Future<?> ready() {
        return player.isPresent() ? player.get().ready() : Future.succeededFuture();
    }

    Future<?> close() {
        return player.isPresent() ? player.get().stop().eventually(client::close) : client.close();
    }

    /** Opens a connection each time it is asked. */
    Supplier<Future<HttpClientRequest>> to(String url, Chosen chosen, Access access, ModelRequest request) {
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

    /** @param passes whether what came is sent as it is, with its query */
    static String urlOf(
            HttpServerRequest came, boolean passes, ModelOperation operation, Chosen chosen, Access access) {
        String base = access.urlFor(operation.protocol())
                .orElseGet(() -> chosen.provider().endpoints().getOrDefault(operation.protocol(), ""));
        String url = operation.urlAt(base, chosen.model());
        String query = passes ? PassedQuery.there(operation.protocol(), came.query()) : "";
        return query.isEmpty() ? url : url + "?" + query;
    }

    /** @param passes whether what came is sent as it is, with its headers */
    static MultiMap headersFor(
            HttpServerRequest came, boolean passes, ModelProtocol protocol, Provider provider, Access access) {
        var sent = passes ? came.headers() : PassedHeaders.spoken(protocol);
        return PassedHeaders.there(sent, provider.authAt(protocol), access.key());
    }
}
