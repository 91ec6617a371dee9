package ai.molecule.proxy.frontdoor;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.http.Connections;
import ai.molecule.testkit.Kept;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetSocket;
import io.vertx.junit5.VertxExtension;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A client with a zero window keeps neither its owner's socket nor ours for good. */
@ExtendWith(VertxExtension.class)
class ReadersThatStopTest {

    @Test
    void a_socket_whose_client_reads_nothing_is_let_go_on_both_sides(Vertx vertx) throws Exception {
        Promise<NetSocket> ownerSide = Promise.promise();
        Promise<Void> ownerLetGo = Promise.promise();
        Promise<Void> clientLetGo = Promise.promise();
        var hub = vertx.createNetServer()
                .connectHandler(socket -> {
                    socket.closeHandler(closed -> ownerLetGo.tryComplete());
                    talk(socket);
                    ownerSide.complete(socket);
                })
                .listen(0, "127.0.0.1")
                .await(60, TimeUnit.SECONDS);
        var front = vertx.createNetServer()
                .connectHandler(theirs -> {
                    theirs.pause().closeHandler(closed -> clientLetGo.tryComplete());
                    Kept.kept(vertx.createNetClient())
                            .connect(hub.actualPort(), "127.0.0.1")
                            .onSuccess(owner -> {
                                owner.pause();
                                new Tunnel(vertx, theirs, owner, FrontDoorLimits.DEFAULT, Duration.ofMillis(200))
                                        .start();
                            });
                })
                .listen(0, "127.0.0.1")
                .await(60, TimeUnit.SECONDS);

        try (var client = new Socket("127.0.0.1", front.actualPort())) {
            ownerSide.future().await(60, TimeUnit.SECONDS);

            clientLetGo.future().await(60, TimeUnit.SECONDS);
            ownerLetGo.future().await(60, TimeUnit.SECONDS);
            assertThat(client.isClosed()).isFalse(); // it was not the client that left
        }
    }

    @Test
    void an_answer_whose_client_reads_nothing_is_cut(Vertx vertx) throws Exception {
        Promise<Void> letGo = Promise.promise();
        var front = vertx.createHttpServer()
                .requestHandler(request -> {
                    request.connection().closeHandler(closed -> letGo.tryComplete());
                    var response = request.response().setChunked(true);
                    for (int i = 0; i < 1_000; i++) {
                        response.write(Buffer.buffer(new byte[64 * 1024]));
                    }
                    new SlowReader(vertx, Duration.ofMillis(200), () -> Connections.cut(request.connection())).waits();
                })
                .listen(0, "127.0.0.1")
                .await(60, TimeUnit.SECONDS);

        try (var client = new Socket("127.0.0.1", front.actualPort())) {
            client.getOutputStream().write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII));

            letGo.future().await(60, TimeUnit.SECONDS);
        }
    }

    /** More than all buffers on the way hold. */
    private static void talk(NetSocket socket) {
        var frame = Buffer.buffer(new byte[64 * 1024]);
        for (int i = 0; i < 1_000; i++) {
            socket.write(frame);
        }
    }
}
