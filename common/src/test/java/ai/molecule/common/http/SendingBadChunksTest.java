package ai.molecule.common.http;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.handler.BodyHandler;
import io.vertx.junit5.VertxExtension;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** A body that breaks HTTP's own rules is its sender's fault and no line in the log. */
@ExtendWith(VertxExtension.class)
class SendingBadChunksTest {

    @ParameterizedTest
    @ValueSource(strings = {"zz\r\n", "\r\n", "ffffffffff\r\n", "1\r\nab\r\n"})
    void it_costs_the_connection_and_nothing_else(String chunk, Vertx vertx) throws Exception {
        var router = Router.router(vertx);
        router.route().handler(BodyHandler.create(false)).failureHandler(new ErrorResponses());
        var server = vertx.createHttpServer()
                .requestHandler(router)
                .listen(0, "127.0.0.1")
                .await();
        var log = new ListAppender<ILoggingEvent>();
        log.start();
        var logger = (Logger) LoggerFactory.getLogger(ErrorResponses.class);
        logger.addAppender(log);

        try (var socket = new Socket(InetAddress.getLoopbackAddress(), server.actualPort())) {
            String request = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk;
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .doesNotContain(" 500 ");
        } finally {
            logger.detachAppender(log);
        }

        assertThat(log.list).isEmpty();
    }
}
