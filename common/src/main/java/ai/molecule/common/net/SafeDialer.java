package ai.molecule.common.net;

import ai.molecule.common.ApiError;
import ai.molecule.common.cache.BriefCache;
import io.netty.util.AttributeKey;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.net.impl.ConnectionBase;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens HTTP requests to addresses that came from outside. The name is resolved here, every address it has must pass the rules,
 * and the address that passed is the one connected to, so a name cannot point elsewhere a moment later. Redirects are never
 * followed. To be used on one event loop.
 */
public final class SafeDialer {

    /** Connections to one agent; callers beyond it queue in the client. */
    private static final int CONNECTIONS_PER_AGENT_MAX = 256;

    private static final int QUEUED_PER_AGENT_MAX = 10_000;

    /** Below the 5 s after which common agent servers close idle connections: a request on one that closes is lost, and not repeated. */
    private static final int IDLE_SECONDS = 4;

    /** Of one answer together: agents behind gateways answer with more than the 8 KiB that the client would take. */
    private static final int HEADERS_MAX_BYTES = 64 * 1024;

    private static final String LOOPBACK = "127.0.0.1";

    /** Of a connection whose other end is not another agent's. */
    private static final AttributeKey<Boolean> JUDGED = AttributeKey.valueOf(SafeDialer.class, "judged");

    private static final Logger LOGGER = LoggerFactory.getLogger(SafeDialer.class);

    private static final int STATUS_LINE_MAX_BYTES = 8 * 1024;

    /** A resolved name is believed this long. */
    private static final Duration NAME_AGE_MAX = Duration.ofSeconds(5);

    private static final int PLACES_MAX = 10_000;

    /** A lookup that takes longer counts as failed. */
    private static final Duration LOOKUP_TIMEOUT = Duration.ofSeconds(5);

    /** Of a name that is only written down. */
    private static final Duration FIRST_LOOKUP_TIMEOUT = Duration.ofSeconds(2);

    private record Question(String url, boolean trusted) {}

    /** What a URL means: where to connect, and what to ask there. */
    private record Place(HttpTarget target, SocketAddress server) {}

    private final Vertx vertx;
    private final AddressRules rules;
    private final NameLookup lookup;
    private final HttpClientAgent client;
    private final BriefCache<Question, Place> places;
    private final @Nullable AgentUsers users;

    public SafeDialer(Vertx vertx, AddressRules rules, Duration connectTimeout) {
        this(vertx, rules, connectTimeout, NameLookup.SYSTEM, NAME_AGE_MAX);
    }

    /** @param nameAgeMax how long a resolved name is believed */
    public SafeDialer(
            Vertx vertx, AddressRules rules, Duration connectTimeout, NameLookup lookup, Duration nameAgeMax) {
        this(vertx, rules, connectTimeout, lookup, nameAgeMax, null);
    }

    /**
     * One that dials agents: at an address within this machine that the platform recorded, another agent is sent nothing.
     *
     * @param firstUid of the users that agents are; each is this plus its agent's port
     */
    public static SafeDialer ofAgents(Vertx vertx, AddressRules rules, Duration connectTimeout, int firstUid) {
        return new SafeDialer(
                vertx,
                rules,
                connectTimeout,
                NameLookup.SYSTEM,
                NAME_AGE_MAX,
                AgentUsers.ofThisMachine(vertx, firstUid));
    }

    SafeDialer(
            Vertx vertx,
            AddressRules rules,
            Duration connectTimeout,
            NameLookup lookup,
            Duration nameAgeMax,
            @Nullable AgentUsers users) {
        this.vertx = vertx;
        this.rules = rules;
        this.lookup = lookup;
        this.users = users;
        this.places = new BriefCache<>(nameAgeMax, PLACES_MAX);
        this.client = vertx.httpClientBuilder()
                .with(new HttpClientOptions()
                        .setConnectTimeout((int) connectTimeout.toMillis())
                        .setKeepAliveTimeout(IDLE_SECONDS)
                        .setMaxHeaderSize(HEADERS_MAX_BYTES)
                        .setMaxInitialLineLength(STATUS_LINE_MAX_BYTES)
                        .setDecompressionSupported(false))
                .with(new PoolOptions()
                        .setHttp1MaxSize(CONNECTIONS_PER_AGENT_MAX)
                        .setMaxWaitQueueSize(QUEUED_PER_AGENT_MAX))
                .withConnectHandler(connection -> {
                    CompressedResponses.unpack(connection);
                    InterimResponses.passOver(connection);
                    KeptConnections.watch(connection);
                })
                .build();
    }

    /**
     * Connects and returns the open request, nothing sent yet. The path is the URL's own, {@code /} when it has none.
     *
     * @param trusted whether the platform itself recorded this URL: then the address rules are skipped
     * @return fails with BAD_GATEWAY {@code workspace URL is not publicly routable} when the rules refuse it, and with the
     *     connection's own failure when nobody answers there, or another agent does
     */
    public Future<HttpClientRequest> open(HttpMethod method, String url, boolean trusted) {
        return places.get(new Question(url, trusted), this::locate)
                .compose(place -> client.request(new RequestOptions()
                        .setMethod(method)
                        .setTraceOperation(method.name() + " agent")
                        .setServer(place.server)
                        .setHost(place.target.authority())
                        .setPort(place.target.port())
                        .setSsl(place.target.https())
                        .setFollowRedirects(false)
                        .setURI(place.target.uri())))
                .compose(request -> trusted ? ofTheRightUser(request) : Future.succeededFuture(request));
    }

    /** Asked once of a connection, when it stands: until it ends it has the same other end. */
    private Future<HttpClientRequest> ofTheRightUser(HttpClientRequest request) {
        var connection = request.connection();
        var there = connection.remoteAddress();
        var here = connection.localAddress();
        if (users == null
                || there == null
                || here == null
                || !LOOPBACK.equals(there.hostAddress())
                || !(connection instanceof ConnectionBase kept)) {
            return Future.succeededFuture(request);
        }
        var judged = kept.channel().attr(JUDGED);
        if (judged.get() != null) {
            return Future.succeededFuture(request);
        }
        return users.isAnothers(there.port(), here.port()).compose(another -> {
            if (!another) {
                judged.set(true);
                return Future.succeededFuture(request);
            }
            LOGGER.atWarn()
                    .addKeyValue("port", there.port())
                    .log("another agent listens at an agent's port, it is sent nothing");
            connection.close();
            return Future.failedFuture(new ConnectException("another agent listens there"));
        });
    }

    /** Whether it is an http or https URL of which every address passes the rules, without connecting. */
    public Future<Boolean> permits(String url) {
        return places.get(new Question(url, false), this::locate).map(true).otherwise(false);
    }

    /**
     * Whether nothing that it names may ever be dialled: it is no http or https URL, or the rules refuse an address of it. A name that nobody
     * knows just now is none of that: it is looked up again whenever it is dialled.
     */
    public Future<Boolean> refuses(String url) {
        var target = HttpTarget.of(url).orElse(null);
        if (target == null) {
            return Future.succeededFuture(true);
        }
        return vertx.executeBlocking(() -> lookup.addressesOf(target.host()), false)
                .timeout(FIRST_LOOKUP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                .map(addresses -> Arrays.stream(addresses).anyMatch(address -> !rules.allows(address)))
                .otherwise(false);
    }

    public Future<Void> close() {
        return client.close();
    }

    private Future<Place> locate(Question question) {
        var target = HttpTarget.of(question.url).orElse(null);
        if (target == null) {
            return Future.failedFuture(refused());
        }
        return vertx.executeBlocking(() -> checked(target.host(), question.trusted), false)
                .timeout(LOOKUP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                .recover(failed -> Future.failedFuture(refused()))
                .map(address ->
                        new Place(target, SocketAddress.inetSocketAddress(target.port(), address.getHostAddress())));
    }

    private InetAddress checked(String host, boolean trusted) throws UnknownHostException {
        var addresses = lookup.addressesOf(host);
        for (var address : addresses) {
            if (!trusted && !rules.allows(address)) {
                throw refused();
            }
        }
        return addresses[0];
    }

    private static ApiError refused() {
        return new ApiError(ApiError.Kind.BAD_GATEWAY, "workspace URL is not publicly routable");
    }
}
