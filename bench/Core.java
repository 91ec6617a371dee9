import ai.molecule.common.config.PlatformConfig;
import ai.molecule.common.http.RequestId;
import ai.molecule.common.reconcilers.Reconcilers;
import ai.molecule.proxy.frontdoor.FrontDoor;
import ai.molecule.proxy.frontdoor.Owners;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.ext.web.Router;
import java.net.URI;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** {@code java -cp <the platform's jars> Core.java <owner-port> <port>}: the front door's forwarding without guards, log and limits, on one event loop. */
class Core {

    public static void main(String[] args) throws Exception {
        var vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
        var owner = URI.create("http://127.0.0.1:" + args[0]);
        var config = PlatformConfig.fromEnv(Map.of(
                "MOLECULE_ENV", "development",
                "DATABASE_URL", "postgresql://nobody@127.0.0.1/nothing",
                "MOLECULE_EDGE_SECRET", "of-this-benchmark"));
        var router = Router.router(vertx);
        router.route().handler(new RequestId()).handler(new FrontDoor(vertx, config, new Owners(List.of(owner), List.of(owner), List.of(owner)), new Reconcilers(Clock.systemUTC())));
        vertx.createHttpServer(new HttpServerOptions()
                        .setHost("127.0.0.1")
                        .setPerMessageWebSocketCompressionSupported(false) // as the services' own servers
                        .setPerFrameWebSocketCompressionSupported(false))
                .requestHandler(router)
                .listen(Integer.parseInt(args[1]))
                .await(10, TimeUnit.SECONDS);
    }
}
