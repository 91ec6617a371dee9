package ai.molecule.common.http;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.auth.Credentials;
import ai.molecule.common.bus.registry.VerifyToken.Holder;
import ai.molecule.common.bus.registry.VerifyToken.Standing;
import ai.molecule.common.bus.registry.VerifyToken.Verdict;
import ai.molecule.common.config.PlatformConfig;
import ai.molecule.common.redis.RedisStore;
import ai.molecule.common.testing.TestConfig;
import ai.molecule.common.testing.TestStores;
import ai.molecule.testkit.Kept;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.ext.web.client.WebClient;
import io.vertx.ext.web.client.WebClientOptions;
import io.vertx.junit5.VertxExtension;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Two requests a minute, with a clock that stands still twenty seconds into one. */
@Tag("stores")
@ExtendWith(VertxExtension.class)
class LimitingRatesTest {

    /** A minute of its own for each test: the counters are in a Redis that all share. */
    private final Instant now =
            Instant.ofEpochSecond(ThreadLocalRandom.current().nextLong(1_000_000, 100_000_000) * 60 + 20);

    /** Whose tokens there are, by hash. */
    private static final Map<String, Verdict> AGENTS = new ConcurrentHashMap<>();

    private static final String ADMIN_TOKEN = "the-admin-token-of-this-test";

    private final AtomicInteger questions = new AtomicInteger();

    @SuppressWarnings("NullAway.Init")
    private WebClient client;

    @SuppressWarnings("NullAway.Init")
    private Vertx vertx;

    private int port;

    @Test
    void past_the_limit_a_client_is_told_when_to_come_back(Vertx vertx) {
        serve(vertx, TestStores.redisUrl());

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
    void the_window_may_be_set(Vertx vertx) {
        serve(
                vertx,
                TestStores.redisUrl(),
                TestConfig.platform("RATE_LIMIT", "1", "RATE_LIMIT_WINDOW_SECONDS", "3600"));
        get("/open", null);

        var refused = get("/open", null);

        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.getHeader("Retry-After")).isEqualTo(String.valueOf(3_600 - now.getEpochSecond() % 3_600));
    }

    @Test
    void replicas_share_the_count(Vertx vertx) {
        serve(vertx, TestStores.redisUrl());
        get("/open", null);
        get("/open", null);

        serve(vertx, TestStores.redisUrl());

        assertThat(get("/open", null).statusCode()).isEqualTo(429);
    }

    @Test
    void heartbeats_count_per_token_because_many_agents_share_an_address(Vertx vertx) {
        serve(vertx, TestStores.redisUrl());
        String one = token();
        get("/registry/heartbeat", one);
        get("/registry/heartbeat", one);

        assertThat(get("/registry/heartbeat", one).statusCode()).isEqualTo(429);
        assertThat(get("/registry/heartbeat", token()).statusCode()).isEqualTo(200);
        assertThat(get("/workspaces/1/activity", token()).statusCode()).isEqualTo(200);
    }

    @Test
    void bearers_that_are_no_workspaces_count_at_their_address_or_guessing_would_be_free(Vertx vertx) {
        serve(vertx, TestStores.redisUrl());
        get("/registry/heartbeat", "guess-1");
        get("/workspaces/1/activity", "guess-2");

        assertThat(get("/workspaces/1/activity", "guess-3").statusCode()).isEqualTo(429);
        int asked = questions.get();
        assertThat(get("/registry/heartbeat", "guess-4").statusCode()).isEqualTo(429);
        assertThat(questions).hasValue(asked);
        assertThat(get("/workspaces/1/files/activity", token()).statusCode()).isEqualTo(429);
    }

    @Test
    void an_address_of_ipv6_counts_with_its_neighbours(Vertx vertx) {
        var config = TestConfig.platform("MOLECULE_EDGE_SECRET", "s3cret");
        var limit = new ClientLimit(
                config,
                new RedisStore(vertx, TestStores.redisUrl()),
                null,
                Clock.fixed(now, ZoneOffset.UTC),
                "ipv6-" + UUID.randomUUID(),
                2,
                Duration.ofHours(1));
        serve(vertx, ctx -> limit.admit(ctx).onSuccess(admitted -> ctx.end()).onFailure(refused -> ctx.fail(429)));

        assertThat(from("2001:db8:1:2::3")).isEqualTo(200);
        assertThat(from("2001:db8:1:2:aaaa:bbbb:cccc:dddd")).isEqualTo(200);
        assertThat(from("2001:db8:1:2:ffff::")).isEqualTo(429);
        assertThat(from("2001:db8:1:3::3")).isEqualTo(200);
    }

    @Test
    void what_a_forwarder_passes_on_is_counted_for_the_address_that_it_names(Vertx vertx) {
        var config =
                TestConfig.platform("RATE_LIMIT", "2", "ADMIN_TOKEN", ADMIN_TOKEN, "MOLECULE_EDGE_SECRET", "s3cret");
        serve(vertx, TestStores.redisUrl(), config);
        String forwarder = Edge.forwarderSecret("s3cret");
        String one =
                "2001:db8:" + Integer.toHexString(ThreadLocalRandom.current().nextInt(65_536)) + ":1::1";
        String other = one.replace(":1::1", ":2::1");

        assertThat(List.of(from(one, forwarder, "guess-1"), from(one, forwarder, "guess-2")))
                .containsOnly(200);
        assertThat(from(one, forwarder, "guess-3")).isEqualTo(429);
        assertThat(from(other, forwarder, "guess-4")).isEqualTo(200);
        assertThat(from(one, "s3cret", "guess-5"))
                .as("counted at the front door")
                .isEqualTo(200);
    }

    /** As somebody before the front door passes it on. */
    private int from(String address, String secret, String bearer) {
        return client.get("/open")
                .bearerTokenAuthentication(bearer)
                .putHeader("X-Molecule-Edge", secret)
                .putHeader("X-Forwarded-For", address)
                .send()
                .await()
                .statusCode();
    }

    @Test
    void while_redis_is_away_each_replica_counts_for_itself(Vertx vertx) {
        serve(vertx, "redis://127.0.0.1:" + TestStores.freePort());

        assertThat(get("/open", null).statusCode()).isEqualTo(200);
        assertThat(get("/open", null).statusCode()).isEqualTo(200);
        assertThat(get("/open", null).statusCode()).isEqualTo(429);
    }

    @Test
    void a_workspace_has_one_share_whatever_its_tokens_and_addresses(Vertx vertx) {
        serve(vertx, TestStores.redisUrl());
        var workspace = UUID.randomUUID();

        assertThat(get("/open", tokenOf(workspace)).statusCode()).isEqualTo(200);
        assertThat(from("127.0.0.2", tokenOf(workspace)).statusCode()).isEqualTo(200);
        var refused = from("127.0.0.3", tokenOf(workspace));
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.getHeader("Retry-After")).isEqualTo("40");
        assertThat(refused.bodyAsString()).contains("rate limit exceeded");
        assertThat(get("/registry/heartbeat", tokenOf(workspace)).statusCode())
                .as("it is not taken for dead because it asked too much")
                .isEqualTo(200);
        assertThat(from("127.0.0.3", token()).statusCode()).isEqualTo(200);
    }

    @Test
    void many_behind_one_address_do_not_starve_each_other(Vertx vertx) {
        sharesAtOneAddress(vertx, TestStores.redisUrl());
    }

    @Test
    void nor_do_they_without_redis(Vertx vertx) {
        sharesAtOneAddress(vertx, null);
    }

    private void sharesAtOneAddress(Vertx vertx, @Nullable String redisUrl) {
        serve(vertx, redisUrl);
        String one = token();
        String other = token();
        get("/open", one);
        get("/open", one);
        get("/open", other);

        assertThat(get("/open", one).statusCode()).isEqualTo(429);
        assertThat(get("/open", other).statusCode()).isEqualTo(200);
        assertThat(get("/open", null).statusCode()).isEqualTo(200);
        get("/open", null);
        assertThat(get("/open", null).statusCode()).isEqualTo(429);
        assertThat(get("/open", ADMIN_TOKEN).statusCode())
                .as("of people there are many at one address, too")
                .isEqualTo(200);
    }

    @Test
    void who_nobody_admitted_counts_at_its_address_or_registering_would_make_room(Vertx vertx) {
        serve(vertx, TestStores.redisUrl());

        assertThat(get("/open", unadmitted()).statusCode()).isEqualTo(200);
        assertThat(get("/open", unadmitted()).statusCode()).isEqualTo(200);
        assertThat(get("/open", unadmitted()).statusCode()).isEqualTo(429);
    }

    /** A live one of a workspace. */
    private static String token() {
        return tokenOf(UUID.randomUUID());
    }

    private static String tokenOf(UUID workspace) {
        return token(workspace, Standing.ADMITTED);
    }

    private static String unadmitted() {
        return token(UUID.randomUUID(), Standing.UNADMITTED);
    }

    private static String token(UUID workspace, Standing standing) {
        String token = UUID.randomUUID().toString();
        AGENTS.put(
                Credentials.hashOf(token), new Verdict(Holder.WORKSPACE, workspace, null, standing, null, true, false));
        return token;
    }

    /** By way of the front door. */
    private int from(String address) {
        return client.get("/open")
                .putHeader("X-Molecule-Edge", "s3cret")
                .putHeader("X-Forwarded-For", address)
                .send()
                .await()
                .statusCode();
    }

    /** From another address of this machine. */
    private HttpResponse<Buffer> from(String address, String bearer) {
        var there = Kept.kept(WebClient.create(vertx, new WebClientOptions().setLocalAddress(address)));
        return there.get(port, "127.0.0.1", "/open")
                .bearerTokenAuthentication(bearer)
                .send()
                .await();
    }

    private HttpResponse<Buffer> get(String path, @Nullable String bearer) {
        var request = client.get(path);
        return (bearer == null ? request : request.bearerTokenAuthentication(bearer))
                .send()
                .await();
    }

    private void serve(Vertx vertx, @Nullable String redisUrl) {
        serve(vertx, redisUrl, TestConfig.platform("RATE_LIMIT", "2", "ADMIN_TOKEN", ADMIN_TOKEN));
    }

    private void serve(Vertx vertx, @Nullable String redisUrl, PlatformConfig config) {
        Credentials credentials = question -> {
            questions.incrementAndGet();
            return Future.succeededFuture(AGENTS.getOrDefault(
                    String.valueOf(question.tokenHash()),
                    new Verdict(Holder.NOBODY, null, null, Standing.ADMITTED, null, true, false)));
        };
        serve(
                vertx,
                new RateLimit(
                        config,
                        new RedisStore(vertx, redisUrl),
                        null,
                        new Edge(config),
                        credentials,
                        Clock.fixed(now, ZoneOffset.UTC)));
    }

    private void serve(Vertx vertx, Handler<RoutingContext> limit) {
        var router = Router.router(vertx);
        router.route().handler(limit).handler(ctx -> ctx.end("{}"));
        var server = vertx.createHttpServer()
                .requestHandler(router)
                .listen(0, "127.0.0.1")
                .await();
        this.vertx = vertx;
        port = server.actualPort();
        client = WebClient.create(
                vertx, new WebClientOptions().setDefaultHost("127.0.0.1").setDefaultPort(server.actualPort()));
    }
}
