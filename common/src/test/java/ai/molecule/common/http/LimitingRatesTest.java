package ai.molecule.common.http;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.redis.RedisStore;
import ai.molecule.common.testing.EmbeddedStores;
import ai.molecule.common.testing.TestConfig;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.ext.web.client.WebClient;
import io.vertx.ext.web.client.WebClientOptions;
import io.vertx.junit5.VertxExtension;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Two requests a minute, with a clock that stands still twenty seconds into one. */
@ExtendWith(VertxExtension.class)
class LimitingRatesTest {

    /** A minute of its own for each test: the counters are in a Redis that all share. */
    private final Instant now =
            Instant.ofEpochSecond(ThreadLocalRandom.current().nextLong(1_000_000, 100_000_000) * 60 + 20);

    @SuppressWarnings("NullAway.Init")
    private WebClient client;

    @Test
    void past_the_limit_a_client_is_told_when_to_come_back(Vertx vertx) {
        serve(vertx, EmbeddedStores.redisUrl());

        var first = get("/open", null);
        var second = get("/open", null);
        var third = get("/open", null);

        assertThat(first.getHeader("X-RateLimit-Limit")).isEqualTo("2");
        assertThat(first.getHeader("X-RateLimit-Remaining")).isEqualTo("1");
        assertThat(second.getHeader("X-RateLimit-Remaining")).isEqualTo("0");
        assertThat(third.statusCode()).isEqualTo(429);
        assertThat(third.getHeader("Retry-After")).isEqualTo("40");
        assertThat(third.bodyAsString()).isEqualTo("{\"error\":\"rate limit exceeded\",\"retry_after\":40}");
    }

    @Test
    void replicas_share_the_count(Vertx vertx) {
        serve(vertx, EmbeddedStores.redisUrl());
        get("/open", null);
        get("/open", null);

        serve(vertx, EmbeddedStores.redisUrl());

        assertThat(get("/open", null).statusCode()).isEqualTo(429);
    }

    @Test
    void heartbeats_count_per_token_because_many_agents_share_an_address(Vertx vertx) {
        serve(vertx, EmbeddedStores.redisUrl());
        String one = UUID.randomUUID().toString();
        get("/registry/heartbeat", one);
        get("/registry/heartbeat", one);

        assertThat(get("/registry/heartbeat", one).statusCode()).isEqualTo(429);
        assertThat(get("/registry/heartbeat", "another").statusCode()).isEqualTo(200);
    }

    @Test
    void while_redis_is_away_each_replica_counts_for_itself(Vertx vertx) {
        serve(vertx, "redis://127.0.0.1:" + EmbeddedStores.freePort());

        assertThat(get("/open", null).statusCode()).isEqualTo(200);
        assertThat(get("/open", null).statusCode()).isEqualTo(200);
        assertThat(get("/open", null).statusCode()).isEqualTo(429);
    }

    private HttpResponse<Buffer> get(String path, @Nullable String bearer) {
        var request = client.get(path);
        return (bearer == null ? request : request.bearerTokenAuthentication(bearer))
                .send()
                .await();
    }

    private void serve(Vertx vertx, String redisUrl) {
        var config = TestConfig.platform("RATE_LIMIT", "2");
        var limit = new RateLimit(
                config, new RedisStore(vertx, redisUrl), new Edge(config), Clock.fixed(now, ZoneOffset.UTC));
        var router = Router.router(vertx);
        router.route().handler(limit).handler(ctx -> ctx.end("{}"));
        var server = vertx.createHttpServer()
                .requestHandler(router)
                .listen(0, "127.0.0.1")
                .await();
        client = WebClient.create(
                vertx, new WebClientOptions().setDefaultHost("127.0.0.1").setDefaultPort(server.actualPort()));
    }
}
