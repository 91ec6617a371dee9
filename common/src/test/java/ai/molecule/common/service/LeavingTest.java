package ai.molecule.common.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.auth.Credentials;
import ai.molecule.common.auth.Guard;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.bus.registry.VerifyToken.Holder;
import ai.molecule.common.bus.registry.VerifyToken.Standing;
import ai.molecule.common.bus.registry.VerifyToken.Verdict;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.RoutePage;
import ai.molecule.common.json.Json;
import ai.molecule.common.testing.TestConfig;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.ext.web.client.WebClient;
import io.vertx.ext.web.client.WebClientOptions;
import io.vertx.junit5.VertxExtension;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A service that was told to end turns new requests away without refusing one, and finishes those it has. */
@ExtendWith(VertxExtension.class)
class LeavingTest {

    private final CompletableFuture<Boolean> reached = new CompletableFuture<>();
    private final Promise<Object> slow = Promise.promise();

    @SuppressWarnings("NullAway.Init")
    private ServiceContext service;

    @SuppressWarnings("NullAway.Init")
    private WebClient client;

    @Test
    void while_it_drains_it_is_not_ready_and_serves_and_keeps_no_connection(Vertx vertx) {
        serve(vertx);
        assertThat(client.get("/ready").send().await().statusCode()).isEqualTo(200);

        Leaving.of(vertx).begin();

        assertThat(client.get("/ready").send().await().statusCode()).isEqualTo(503);
        assertThat(client.get("/health").send().await().statusCode()).isEqualTo(200);
        var answer = client.get("/quick").send().await();
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.getHeader("Connection")).isEqualTo("close");
    }

    @Test
    void a_request_under_way_is_answered_and_a_new_one_finds_nobody(Vertx vertx) {
        serve(vertx);
        var asked = client.get("/slow").send();
        reached.join();

        var finishing = service.finish();
        await().until(() -> client.get("/quick")
                .send()
                .transform(Future::succeededFuture)
                .await()
                .failed());
        slow.complete("done");

        assertThat(asked.await().statusCode()).isEqualTo(200);
        finishing.await();
    }

    @Test
    void it_does_not_wait_for_ever(Vertx vertx) {
        serve(vertx, "MOLECULE_FINISH_SECONDS", "1");
        var asked = client.get("/slow").send();
        reached.join();

        service.finish().await();

        await().until(asked::failed);
    }

    private void serve(Vertx vertx, String... overrides) {
        service = ServiceContext.open(vertx, TestConfig.platform(overrides), "guarded")
                .await();
        Credentials nobody = asked ->
                Future.succeededFuture(new Verdict(Holder.NOBODY, null, null, Standing.ADMITTED, null, false, false));
        var page = new RoutePage(service, new Guards(service.config(), nobody));
        page.get("/quick", Guard.OPEN, ctx -> Answers.json(ctx, Future.succeededFuture(Json.object())));
        page.get("/slow", Guard.OPEN, ctx -> {
            reached.complete(true);
            Answers.json(ctx, slow.future().map(done -> Json.object()));
        });
        int port = service.listen(0, page.router()).await().actualPort();
        client = WebClient.create(
                vertx, new WebClientOptions().setDefaultHost("127.0.0.1").setDefaultPort(port));
    }
}
