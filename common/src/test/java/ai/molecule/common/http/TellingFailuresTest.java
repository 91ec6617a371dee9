package ai.molecule.common.http;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.ApiError;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.client.WebClient;
import io.vertx.ext.web.client.WebClientOptions;
import io.vertx.junit5.VertxExtension;
import io.vertx.pgclient.PgException;
import java.io.IOException;
import java.net.ConnectException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;

/** What a failure of ours is answered with, and that it leaves a line in the log. */
@ExtendWith(VertxExtension.class)
class TellingFailuresTest {

    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger(ErrorResponses.class);
    private volatile Throwable failure = new IllegalStateException("none");

    @BeforeEach
    void listen() {
        log.start();
        logger.addAppender(log);
    }

    @AfterEach
    void leave() {
        logger.detachAppender(log);
    }

    @Test
    void a_failure_that_has_nothing_to_do_with_the_database_is_not_its_outage(Vertx vertx) {
        failure = new IOException("deleting ended with 1");

        assertThat(answer(vertx)).isEqualTo("500 {\"error\":\"internal error\"}");
        assertThat(log.list)
                .singleElement()
                .satisfies(line ->
                        assertThat(line.getThrowableProxy().getMessage()).isEqualTo("deleting ended with 1"));
    }

    @Test
    void a_full_disk_is_said(Vertx vertx) {
        failure = new PgException("could not extend file", "ERROR", "53100", "");

        assertThat(answer(vertx)).isEqualTo("507 {\"error\":\"the platform's database has no room left\"}");
        assertThat(log.list)
                .singleElement()
                .satisfies(line -> assertThat(line.getLevel()).isEqualTo(Level.ERROR));
    }

    @Test
    void a_full_quota_is_a_quiet_line_however_often_somebody_meets_it(Vertx vertx) {
        failure = new ApiError(ApiError.Kind.INSUFFICIENT_STORAGE, "workspace is full");
        var client = serve(vertx);

        for (int i = 0; i < 20; i++) {
            assertThat(client.get("/").send().await().bodyAsString()).isEqualTo("{\"error\":\"workspace is full\"}");
        }

        assertThat(log.list).hasSizeBetween(1, 5).allSatisfy(line -> {
            assertThat(line.getLevel()).isEqualTo(Level.WARN);
            assertThat(line.getThrowableProxy()).isNull();
        });
    }

    @Test
    void nor_does_it_hide_an_outage(Vertx vertx) {
        var client = serve(vertx);
        failure = new ApiError(ApiError.Kind.INSUFFICIENT_STORAGE, "workspace is full");
        client.get("/").send().await();
        failure = ApiError.unavailable("not now");

        client.get("/").send().await();

        assertThat(log.list).hasSize(2);
    }

    @Test
    void an_outage_is_a_line_a_second_however_many_meet_it(Vertx vertx) {
        failure = new ConnectException("refused");
        var client = serve(vertx);

        for (int i = 0; i < 50; i++) {
            assertThat(client.get("/").send().await().statusCode()).isEqualTo(503);
        }

        assertThat(log.list).hasSizeBetween(1, 10);
        assertThat(log.list.getFirst().getThrowableProxy().getMessage()).isEqualTo("refused");
    }

    @Test
    void what_was_foreseen_leaves_a_line_without_its_stack_and_what_the_client_did_none(Vertx vertx) {
        failure = new ApiError(ApiError.Kind.BAD_GATEWAY, "the agent answered nonsense");
        assertThat(answer(vertx)).startsWith("502 ");
        assertThat(log.list)
                .singleElement()
                .satisfies(line -> assertThat(line.getThrowableProxy()).isNull());

        failure = ApiError.notFound("workspace not found");
        assertThat(answer(vertx)).startsWith("404 ");
        assertThat(log.list).hasSize(1);
    }

    private String answer(Vertx vertx) {
        var response = serve(vertx).get("/").send().await();
        return response.statusCode() + " " + response.bodyAsString();
    }

    private WebClient serve(Vertx vertx) {
        var router = Router.router(vertx);
        router.route().handler(ctx -> ctx.fail(failure)).failureHandler(new ErrorResponses());
        var server = vertx.createHttpServer()
                .requestHandler(router)
                .listen(0, "127.0.0.1")
                .await();
        return WebClient.create(
                vertx, new WebClientOptions().setDefaultHost("127.0.0.1").setDefaultPort(server.actualPort()));
    }
}
