package ai.molecule.proxy;

import ai.molecule.common.auth.BusCredentials;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.config.Environment;
import ai.molecule.common.http.RoutePage;
import ai.molecule.common.net.AddressRules;
import ai.molecule.common.net.SafeDialer;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.proxy.a2a.A2a;
import ai.molecule.proxy.a2a.A2aRoutes;
import ai.molecule.proxy.activity.ActivityBuffer;
import ai.molecule.proxy.frontdoor.FrontDoor;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Composition root: the only class that knows what the proxy is made of. One event loop serves it all. */
public final class ProxyVerticle extends VerticleBase {

    /** Of the 8 s that a service has to stop: for answers that are nearly there, and for the rows of those. */
    private static final Duration DRAIN = Duration.ofSeconds(2);

    private static final Duration FLUSH = Duration.ofSeconds(4);

    private final ProxyConfig config;
    private @Nullable ServiceContext service;
    private @Nullable ActivityBuffer activity;
    private @Nullable SafeDialer dialer;
    private @Nullable A2aRoutes a2a;
    private @Nullable HttpServer server;
    private List<RoutePage.Entry> routes = List.of();

    public ProxyVerticle(ProxyConfig config) {
        this.config = config;
    }

    @Override
    public Future<?> start() {
        return ServiceContext.open(vertx, config.platform(), "proxy").compose(this::serve);
    }

    /** The port it listens on, once deployed. */
    public int actualPort() {
        if (server == null) {
            throw new IllegalStateException("not deployed");
        }
        return server.actualPort();
    }

    /** Every route of its own with its guard, once deployed. */
    public List<RoutePage.Entry> routes() {
        return routes;
    }

    /** New requests are refused first, then calls still at their agents are given up, then all of it is written down. */
    @Override
    public Future<?> stop() {
        return closed(server == null ? null : server.shutdown(DRAIN.toSeconds(), TimeUnit.SECONDS))
                .eventually(() -> {
                    if (a2a != null) {
                        a2a.stop();
                    }
                    return closed(dialer == null ? null : dialer.close());
                })
                .eventually(() -> closed(activity == null ? null : activity.flush(FLUSH)))
                .eventually(() -> closed(service == null ? null : service.close()));
    }

    private Future<Void> serve(ServiceContext opened) {
        service = opened;
        var platform = config.platform();
        var guards = new Guards(platform, new BusCredentials(opened.bus()));
        var rules = AddressRules.forDialling(platform.environment() == Environment.DEVELOPMENT, platform.saas());
        var agents = new SafeDialer(vertx, rules, config.a2a().connect());
        var rows = new ActivityBuffer(vertx, opened.bus(), config.activity(), opened.meters());
        dialer = agents;
        activity = rows;
        var messages = A2a.routes(opened, guards, agents, rows, config.a2a());
        a2a = messages;
        var frontDoor = new FrontDoor(vertx, platform, config.owners());
        var page = ProxyRouter.page(opened, guards, messages, frontDoor, config.a2a());
        routes = page.entries();
        return opened.listen(config.port(), page.router())
                .onSuccess(listening -> server = listening)
                .mapEmpty();
    }

    private static Future<?> closed(@Nullable Future<?> closing) {
        return closing == null ? Future.succeededFuture() : closing;
    }
}
