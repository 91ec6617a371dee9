package ai.molecule.common.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.auth.Credentials;
import ai.molecule.common.auth.Guard;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.bus.ReconcilerStatus;
import ai.molecule.common.bus.registry.VerifyToken.Holder;
import ai.molecule.common.bus.registry.VerifyToken.Standing;
import ai.molecule.common.bus.registry.VerifyToken.Verdict;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.RoutePage;
import ai.molecule.common.json.Json;
import ai.molecule.common.testing.TestConfig;
import ai.molecule.common.testing.TestStores;
import ai.molecule.testkit.Kept;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.ext.web.client.WebClient;
import io.vertx.junit5.VertxExtension;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Replicas of a service on a platform that runs without Redis. */
@ExtendWith(VertxExtension.class)
class LimitingRatesWithoutRedisTest {

    private static final int LIMIT = 1_000_000;

    private final List<ServiceContext> services = new ArrayList<>();

    @AfterEach
    void close() {
        services.forEach(service -> service.close().await());
    }

    @Test
    void a_client_has_one_share_at_all_of_them(Vertx vertx) {
        String database = TestStores.freshDatabase();
        int here = serve(vertx, database);
        int there = serve(vertx, database);
        var client = Kept.kept(WebClient.create(vertx));
        var askedThere = new AtomicInteger();

        await().untilAsserted(() -> {
            // more here than there, so that it comes true also when a window ends meanwhile
            used(client, here);
            used(client, here);
            askedThere.incrementAndGet();
            assertThat(used(client, there)).isGreaterThan(askedThere.get());
        });

        assertThat(services.getFirst().reconcilers().status().reconcilers())
                .extracting(ReconcilerStatus.One::name)
                .contains("rate-windows");
    }

    private int serve(Vertx vertx, String database) {
        var config = TestConfig.platform(
                "DATABASE_URL", database,
                "REDIS_URL", "",
                "MOLECULE_REDIS", "none",
                "ADMIN_TOKEN", "the-admin-token",
                "RATE_LIMIT", String.valueOf(LIMIT));
        var service = ServiceContext.open(vertx, config, "guarded").await();
        services.add(service);
        Credentials nobody = asked ->
                Future.succeededFuture(new Verdict(Holder.NOBODY, null, null, Standing.ADMITTED, null, false, false));
        var page = new RoutePage(service, new Guards(config, nobody));
        page.get("/open", Guard.OPEN, ctx -> Answers.json(ctx, Future.succeededFuture(Json.object())));
        return service.listen(0, page.router()).await().actualPort();
    }

    private static int used(WebClient client, int port) {
        var answer = client.get(port, "127.0.0.1", "/open").send().await();
        return LIMIT - Integer.parseInt(answer.getHeader("X-RateLimit-Remaining"));
    }
}
