package ai.molecule.proxy;

import static ai.molecule.common.testing.Records.with;

import ai.molecule.common.testing.TestConfig;
import ai.molecule.proxy.delegations.WorkStore;
import ai.molecule.proxy.queue.QueueStore;
import ai.molecule.proxy.schedules.ScheduleStore;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.ext.web.client.WebClient;
import io.vertx.ext.web.client.WebClientOptions;
import java.time.Duration;
import java.util.UUID;
import java.util.function.IntSupplier;
import java.util.function.UnaryOperator;

/** The deployed proxy on a free port between a stand-in platform and small HTTP servers as agents and owners. */
public final class ProxyUnderTest {

    public static final String HELLO =
            "{\"method\":\"message/send\",\"params\":{\"message\":{\"messageId\":\"m-1\",\"role\":\"user\",\"parts\":[{\"kind\":\"text\",\"text\":\"hello\"}]}}}";

    public final StandInPlatform platform;
    public final WebClient client;
    public final int port;
    private final Vertx vertx;
    private final String deployment;
    private final IntSupplier agentsPort;
    private final ProxyConfig config;

    private ProxyUnderTest(
            Vertx vertx, StandInPlatform platform, ProxyConfig config, ProxyVerticle verticle, String deployment) {
        this.config = config;
        this.vertx = vertx;
        this.platform = platform;
        this.deployment = deployment;
        this.port = verticle.actualPort();
        this.agentsPort = verticle::actualAgentsPort;
        this.client = WebClient.create(
                vertx,
                new WebClientOptions()
                        .setDefaultHost("127.0.0.1")
                        .setDefaultPort(port)
                        .setFollowRedirects(false));
    }

    public static ProxyUnderTest start(Vertx vertx, String... env) {
        return start(vertx, config -> config, env);
    }

    public static ProxyUnderTest start(Vertx vertx, UnaryOperator<ProxyConfig> tuned, String... env) {
        var config = ProxyConfig.fromEnv(TestConfig.env(env));
        var hasty =
                with(config, "a2a", with(config.a2a(), "comeBack", Duration.ZERO)); // nobody starts agents again here
        return start(vertx, new StandInPlatform(vertx), tuned.apply(hasty), work -> work);
    }

    /** Another replica: on the same database and the same bus. */
    public ProxyUnderTest replica() {
        return start(vertx, platform, config, work -> work);
    }

    public String databaseUrl() {
        return config.platform().databaseUrl();
    }

    /** One more replica, when the configuration is another's. */
    public static ProxyUnderTest start(
            Vertx vertx, StandInPlatform platform, ProxyConfig config, UnaryOperator<WorkStore> work) {
        return start(vertx, platform, config, work, waiting -> waiting);
    }

    /** One whose runners reach their stores through these. */
    public static ProxyUnderTest start(
            Vertx vertx,
            StandInPlatform platform,
            ProxyConfig config,
            UnaryOperator<WorkStore> work,
            UnaryOperator<QueueStore> waiting) {
        return start(vertx, platform, config, work, waiting, schedules -> schedules);
    }

    /** One whose runners reach their stores through these. */
    public static ProxyUnderTest start(
            Vertx vertx,
            StandInPlatform platform,
            ProxyConfig config,
            UnaryOperator<WorkStore> work,
            UnaryOperator<QueueStore> waiting,
            UnaryOperator<ScheduleStore> schedules) {
        platform.rows.in(vertx, config.platform().databaseUrl());
        var verticle = new ProxyVerticle(config, work, waiting, schedules);
        String deployment = vertx.deployVerticle(verticle).await();
        return new ProxyUnderTest(vertx, platform, config, verticle, deployment);
    }

    /** A server on a free port. */
    public static HttpServer serve(Vertx vertx, Handler<HttpServerRequest> handler) {
        return vertx.createHttpServer()
                .requestHandler(handler)
                .listen(0, "127.0.0.1")
                .await();
    }

    public static String urlOf(HttpServer server) {
        return "http://127.0.0.1:" + server.actualPort();
    }

    /** A workspace whose agent gives this answer to every message. */
    public UUID agent(Handler<HttpServerRequest> handler) {
        return platform.workspaceAt(urlOf(serve(vertx, handler)));
    }

    /** A workspace whose agent reads the message and answers 200 with this. */
    public UUID agentSaying(String answer) {
        return agent(request -> request.body().onSuccess(body -> json(request.response(), answer)));
    }

    public static void json(HttpServerResponse response, String body) {
        response.putHeader("Content-Type", "application/json").end(body);
    }

    /** Sends there where agents come in; only with {@code MOLECULE_AGENTS_PORT}. */
    public HttpResponse<Buffer> sendAtAgentsDoor(UUID target, String body, String... headers) {
        return post(agentsPort.getAsInt(), "/workspaces/" + target + "/a2a", body, headers);
    }

    public HttpResponse<Buffer> send(UUID target, String body, String... headers) {
        return post("/workspaces/" + target + "/a2a", body, headers);
    }

    public HttpResponse<Buffer> post(String path, String body, String... headers) {
        return post(port, path, body, headers);
    }

    private HttpResponse<Buffer> post(int port, String path, String body, String... headers) {
        var all = MultiMap.caseInsensitiveMultiMap();
        for (int i = 0; i < headers.length; i += 2) {
            all.add(headers[i], headers[i + 1]);
        }
        return client.post(port, "127.0.0.1", path)
                .putHeaders(all)
                .sendBuffer(Buffer.buffer(body))
                .await();
    }

    public static String seen(HttpResponse<Buffer> response) {
        return response.statusCode() + " " + response.bodyAsString();
    }

    public Future<HttpResponse<Buffer>> sending(UUID target, String body) {
        return client.post("/workspaces/" + target + "/a2a").sendBuffer(Buffer.buffer(body));
    }

    public Future<Void> stopping() {
        return vertx.undeploy(deployment);
    }
}
