package ai.molecule.proxy;

import ai.molecule.common.testing.TestConfig;
import io.vertx.core.Vertx;
import io.vertx.core.net.SocketAddress;
import java.io.IOException;

/**
 * A proxy as a program of its own, for tests that give it a small heap: {@code SmallProxy <database-url> <redis-url>}. It prints its port,
 * the id of a workspace whose agent reads what it is sent and never answers, and that of one whose agent answers. Ends with its input.
 */
public final class SmallProxy {

    private SmallProxy() {}

    public static void main(String[] args) throws IOException {
        var vertx = Vertx.vertx();
        var config = ProxyConfig.fromEnv(TestConfig.env("DATABASE_URL", args[0], "REDIS_URL", args[1]));
        var proxy = ProxyUnderTest.start(vertx, new StandInPlatform(vertx), config, work -> work);
        var silent = vertx.createNetServer()
                .connectHandler(socket -> socket.handler(read -> {}))
                .listen(SocketAddress.inetSocketAddress(0, "127.0.0.1"))
                .await();
        System.out.println("%d %s %s"
                .formatted(
                        proxy.port,
                        proxy.platform.workspaceAt("http://127.0.0.1:" + silent.actualPort()),
                        proxy.agentSaying("{}")));
        while (System.in.read() >= 0) {
            // until whoever started this is gone
        }
        System.exit(0);
    }
}
