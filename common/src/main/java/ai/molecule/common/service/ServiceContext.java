package ai.molecule.common.service;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.ReconcilerStatus;
import ai.molecule.common.config.PlatformConfig;
import ai.molecule.common.db.Postgres;
import ai.molecule.common.events.EventLog;
import ai.molecule.common.http.MalformedRequests;
import ai.molecule.common.reconcilers.Reconcilers;
import ai.molecule.common.redis.RedisStore;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.sqlclient.Pool;
import java.time.Clock;
import java.util.concurrent.TimeUnit;

/**
 * What a service is built on: its stores, the bus and its meters, opened together and closed together.
 *
 * @param pool connections whose unqualified names mean the service's own schema
 */
public record ServiceContext(
        Vertx vertx,
        PlatformConfig config,
        Pool pool,
        RedisStore redis,
        Bus bus,
        EventLog events,
        Reconcilers reconcilers,
        PrometheusMeterRegistry meters) {

    private static final int READY_SECONDS = 2;

    /**
     * Migrates the event log's schema and the service's own, connects, and answers {@link ReconcilerStatus} from then on.
     *
     * @param schema also the service's name
     */
    public static Future<ServiceContext> open(Vertx vertx, PlatformConfig config, String schema) {
        return Postgres.migrate(vertx, config.databaseUrl(), "log")
                .compose(logReady -> Postgres.migrate(vertx, config.databaseUrl(), schema))
                .compose(migrated -> {
                    var bus = new Bus(vertx);
                    var service = new ServiceContext(
                            vertx,
                            config,
                            Postgres.pool(vertx, config.databaseUrl(), schema),
                            new RedisStore(vertx, config.redisUrl()),
                            bus,
                            new EventLog(bus),
                            new Reconcilers(Clock.systemUTC()),
                            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT));
                    var contract = ReconcilerStatus.of(schema);
                    return bus.serve(
                                    contract,
                                    asked -> Future.succeededFuture(
                                            service.reconcilers().status()))
                            .map(service);
                });
    }

    /** Whether the database answers. Redis may be away: then the platform is slower, not broken. */
    public Future<?> ready() {
        return pool.query("SELECT 1").execute().timeout(READY_SECONDS, TimeUnit.SECONDS);
    }

    public Future<HttpServer> listen(int port, Handler<HttpServerRequest> handler) {
        return listen(config.bindHost(), port, handler);
    }

    /** On an address besides the service's own. */
    public Future<HttpServer> listen(String host, int port, Handler<HttpServerRequest> handler) {
        return vertx.createHttpServer(new HttpServerOptions()
                        .setHost(host)
                        .setPort(port)
                        .setMaxHeaderSize(16 * 1024)
                        .setMaxInitialLineLength(8 * 1024)
                        .setTcpNoDelay(true)
                        .setMaxWebSocketFrameSize(64 * 1024)
                        .setPerMessageWebSocketCompressionSupported(false) // its buffers cost more than an idle socket
                        .setPerFrameWebSocketCompressionSupported(false))
                .requestHandler(handler)
                .invalidRequestHandler(new MalformedRequests())
                .listen();
    }

    public Future<Void> close() {
        return pool.close().eventually(() -> redis.close());
    }
}
