package ai.molecule.common.service;

import ai.molecule.common.audit.Refusals;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.ReconcilerStatus;
import ai.molecule.common.config.PlatformConfig;
import ai.molecule.common.db.Database;
import ai.molecule.common.db.Postgres;
import ai.molecule.common.db.SharedWindows;
import ai.molecule.common.events.EventLog;
import ai.molecule.common.http.Connections;
import ai.molecule.common.http.MalformedRequests;
import ai.molecule.common.http.Probes;
import ai.molecule.common.reconcilers.Reconcilers;
import ai.molecule.common.redis.RedisStore;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.sqlclient.Pool;
import java.net.InetAddress;
import java.time.Clock;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a service is built on: its stores, the bus and its meters, opened together and closed together.
 *
 * @param database whose unqualified names mean the service's own schema
 * @param databaseWatch null where nobody else could answer: outside a cluster
 * @param neighbours null outside a cluster
 * @param sharedWindows how replicas count together where there is no Redis; null where there is
 * @param connections those to it, told by every page
 * @param refusals who was refused, for the record
 * @param firstAnswer what it has to have heard on the bus to be ready: without a word, that others know of it
 * @param servers what it listens with, for {@link #finish}
 */
public record ServiceContext(
        Vertx vertx,
        PlatformConfig config,
        Database database,
        RedisStore redis,
        @Nullable SharedWindows sharedWindows,
        Bus bus,
        EventLog events,
        Reconcilers reconcilers,
        PrometheusMeterRegistry meters,
        Connections connections,
        Refusals refusals,
        FirstAnswer firstAnswer,
        @Nullable DatabaseWatch databaseWatch,
        @Nullable NeighboursWatch neighbours,
        List<HttpServer> servers) {

    private static final Logger LOGGER = LoggerFactory.getLogger(ServiceContext.class);

    private static final int READY_SECONDS = 2;
    private static final int LAST_SYNC_SECONDS = 1;

    /**
     * Migrates the event log's schema and the service's own as the owner, connects as the service, and answers {@link ReconcilerStatus} from then on.
     *
     * @param schema also the service's name
     */
    public static Future<ServiceContext> open(Vertx vertx, PlatformConfig config, String schema) {
        return Postgres.migrate(vertx, config.databaseUrl(), "log")
                .compose(logReady -> Postgres.migrate(vertx, config.databaseUrl(), schema))
                .compose(migrated -> Postgres.asService(vertx, config.databaseUrl(), schema))
                .compose(databaseUrl -> {
                    var meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
                    var bus = new Bus(vertx, meters);
                    var events = new EventLog(bus);
                    var database = new Database(vertx, databaseUrl, schema, events::committed);
                    var redis = new RedisStore(vertx, config.redisUrl());
                    var reconcilers = new Reconcilers(Clock.systemUTC(), meters);
                    var service = new ServiceContext(
                            vertx,
                            config,
                            database,
                            redis,
                            redis.isPresent() ? null : sharedWindows(vertx, database, reconcilers),
                            bus,
                            events,
                            reconcilers,
                            meters,
                            new Connections(vertx, config.connections()),
                            new Refusals(vertx, database, reconcilers.add("refusals", "records who was refused"))
                                    .start(),
                            new FirstAnswer(() -> bus.isServedHere(ReconcilerStatus.of(schema))
                                    .compose(known -> known
                                            ? Future.succeededFuture()
                                            : Future.failedFuture("the members do not know it yet"))),
                            vertx.isClustered() ? databaseWatch(vertx, database, bus, schema, reconcilers) : null,
                            vertx.isClustered() ? neighbours(vertx, reconcilers) : null,
                            new CopyOnWriteArrayList<>());
                    config.doorsLeftOpen()
                            .forEach(door -> LOGGER.atWarn()
                                    .addKeyValue("service", schema)
                                    .addKeyValue("variable", door)
                                    .log("a door that production closes stands open, see docs/operations.md"));
                    var contract = ReconcilerStatus.of(schema);
                    return bus.serve(
                                    contract,
                                    asked -> Future.succeededFuture(
                                            service.reconcilers().status(config.doorsLeftOpen())))
                            .map(service);
                });
    }

    private static DatabaseWatch databaseWatch(
            Vertx vertx, Database database, Bus bus, String schema, Reconcilers reconcilers) {
        var report = reconcilers.add("database-watch", "leaves bus calls to other replicas while the database is away");
        return new DatabaseWatch(vertx, database, bus, ReconcilerStatus.of(schema), report).start();
    }

    private static NeighboursWatch neighbours(Vertx vertx, Reconcilers reconcilers) {
        var report = reconcilers.add("neighbours", "looks whether the other members of the cluster answer");
        return new NeighboursWatch(vertx, report).start();
    }

    private static SharedWindows sharedWindows(Vertx vertx, Database database, Reconcilers reconcilers) {
        var report = reconcilers.add("rate-windows", "counts limits together with the other replicas");
        return new SharedWindows(vertx, database, report, Clock.systemUTC()).start();
    }

    /**
     * Whether the database answers and takes changes, the bus has answered once ({@link FirstAnswer}), one of several other members answers, and
     * the process goes on. Redis may be away: then the platform is slower, not broken.
     */
    public Future<?> ready() {
        if (Leaving.of(vertx).hasBegun()) {
            return Future.failedFuture("leaving");
        }
        if (neighbours != null && neighbours.isCutOff()) {
            return Future.failedFuture("none of the other members of the cluster answers");
        }
        return Postgres.writable(database)
                .compose(writable -> firstAnswer.had())
                .timeout(READY_SECONDS, TimeUnit.SECONDS);
    }

    /**
     * Listens at the service's own address, but answers nobody where only agents come in; and serves the figures at a port of their
     * own, where the configuration names one.
     */
    public Future<HttpServer> listen(int port, Handler<HttpServerRequest> handler) {
        return agentsAddresses()
                .compose(elsewhere -> listenForMetrics(elsewhere)
                        .compose(ready -> listen(config.bindHost(), port, handler, elsewhere)));
    }

    /** Listens on one more address, besides the service's own. */
    public Future<HttpServer> listen(String host, int port, Handler<HttpServerRequest> handler) {
        return listen(host, port, handler, Set.of());
    }

    private Future<HttpServer> listen(
            String host, int port, Handler<HttpServerRequest> handler, Set<String> closedAddresses) {
        var leaving = Leaving.of(vertx);
        return vertx.createHttpServer(new HttpServerOptions()
                        .setHost(host)
                        .setPort(port)
                        .setMaxHeaderSize(16 * 1024)
                        .setMaxInitialLineLength(8 * 1024)
                        .setTcpNoDelay(true)
                        .setHttp2ClearTextEnabled(
                                false) // nobody needs it, and its streams escape what bounds connections
                        .setMaxWebSocketFrameSize(64 * 1024)
                        .setPerMessageWebSocketCompressionSupported(false) // its buffers cost more than an idle socket
                        .setPerFrameWebSocketCompressionSupported(false))
                .connectionHandler(connection -> {
                    var local = connection.localAddress();
                    if (local != null && closedAddresses.contains(local.hostAddress())) {
                        connection.close();
                    } else {
                        connections.opened(connection);
                    }
                })
                .requestHandler(request -> {
                    if (leaving.hasBegun() && request.getHeader(HttpHeaders.UPGRADE) == null) {
                        request.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
                    }
                    handler.handle(request);
                })
                .invalidRequestHandler(new MalformedRequests())
                .listen()
                .onSuccess(servers::add);
    }

    private Future<Set<String>> agentsAddresses() {
        String agents = config.agentsBind();
        return agents == null
                ? Future.succeededFuture(Set.of())
                : vertx.executeBlocking(() -> Arrays.stream(InetAddress.getAllByName(agents))
                        .map(InetAddress::getHostAddress)
                        .collect(Collectors.toUnmodifiableSet()));
    }

    private Future<?> listenForMetrics(Set<String> closedAddresses) {
        Integer port = config.metricsPort();
        return port == null
                ? Future.succeededFuture()
                : listen(config.bindHost(), port, Probes.metricsOf(meters), closedAddresses);
    }

    /**
     * The first step of a stop: no further requests and bus calls, and up to {@link StopTimes#finish} for those under way. Event
     * streams and sockets count as under way; who serves them ends them before.
     */
    public Future<?> finish() {
        if (databaseWatch != null) {
            databaseWatch.stop();
        }
        if (neighbours != null) {
            neighbours.stop();
        }
        var max = config.stopping().finish();
        return Future.join(
                        bus.finish(max),
                        Future.join(servers.stream()
                                .map(server -> server.shutdown(max.toMillis(), TimeUnit.MILLISECONDS))
                                .toList()))
                .otherwiseEmpty();
    }

    public Future<Void> close() {
        Future<?> last = sharedWindows == null
                ? Future.succeededFuture()
                : sharedWindows
                        .stop()
                        .timeout(LAST_SYNC_SECONDS, TimeUnit.SECONDS)
                        .otherwiseEmpty();
        var watch = databaseWatch == null ? Future.<Void>succeededFuture() : databaseWatch.stop();
        if (neighbours != null) {
            neighbours.stop();
        }
        return Future.join(last, refusals.stop(), watch)
                .eventually(() -> database.close())
                .eventually(() -> redis.close())
                .mapEmpty();
    }

    /** The connections of {@link #database}. */
    public Pool pool() {
        return database.pool();
    }
}
