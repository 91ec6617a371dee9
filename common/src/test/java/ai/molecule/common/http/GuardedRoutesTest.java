package ai.molecule.common.http;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.auth.Credentials;
import ai.molecule.common.auth.Guard;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.auth.Reach;
import ai.molecule.common.auth.Tokens;
import ai.molecule.common.bus.registry.VerifyToken.Holder;
import ai.molecule.common.bus.registry.VerifyToken.Standing;
import ai.molecule.common.bus.registry.VerifyToken.Verdict;
import ai.molecule.common.json.Json;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.common.testing.TestConfig;
import ai.molecule.common.testing.TestStores;
import ai.molecule.testkit.Kept;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.client.HttpRequest;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.ext.web.client.WebClient;
import io.vertx.ext.web.client.WebClientOptions;
import io.vertx.junit5.VertxExtension;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What every service's routes do before their handler: guards, hosts, origins, limits, errors. */
@ExtendWith(VertxExtension.class)
class GuardedRoutesTest {

    private static final UUID WORKSPACE = UUID.randomUUID();
    private static final String TOKEN = Tokens.mint();
    private static final UUID UNADMITTED = UUID.randomUUID();
    private static final String UNADMITTED_TOKEN = Tokens.mint();

    @SuppressWarnings("NullAway.Init")
    private WebClient client;

    private int port;

    @Test
    void an_unknown_path_is_answered_in_json(Vertx vertx) {
        serve(vertx);

        var response = send(client.get("/nowhere"));

        assertThat(response.statusCode()).isEqualTo(404);
        assertThat(response.bodyAsString()).isEqualTo("{\"error\":\"not found\"}");
    }

    @Test
    void a_wrong_method_is_an_unknown_path(Vertx vertx) {
        serve(vertx);

        assertThat(send(client.delete("/admin")).bodyAsString()).isEqualTo("{\"error\":\"not found\"}");
    }

    @Test
    void an_admin_route_asks_for_a_bearer_once_a_token_exists(Vertx vertx) {
        serve(vertx);

        assertThat(send(client.get("/admin")).bodyAsString()).isEqualTo("{\"error\":\"admin auth required\"}");
        assertThat(send(client.get("/admin").putHeader("Authorization", "Bearer "))
                        .bodyAsString())
                .isEqualTo("{\"error\":\"admin auth required\"}");
        assertThat(send(client.get("/admin").bearerTokenAuthentication("garbage"))
                        .bodyAsString())
                .isEqualTo("{\"error\":\"invalid admin auth token\"}");
        assertThat(send(client.get("/admin").bearerTokenAuthentication(TOKEN)).statusCode())
                .isEqualTo(200);
    }

    @Test
    void with_an_admin_token_workspace_tokens_are_no_admins(Vertx vertx) {
        serve(vertx, "ADMIN_TOKEN", "root");

        assertThat(send(client.get("/admin").bearerTokenAuthentication("root")).statusCode())
                .isEqualTo(200);
        assertThat(send(client.get("/admin").bearerTokenAuthentication(TOKEN)).statusCode())
                .isEqualTo(401);
    }

    @Test
    void a_workspace_route_takes_only_its_own_token(Vertx vertx) {
        serve(vertx);

        assertThat(send(client.get("/workspaces/" + WORKSPACE).bearerTokenAuthentication(TOKEN))
                        .statusCode())
                .isEqualTo(200);
        assertThat(send(client.get("/workspaces/" + UUID.randomUUID()).bearerTokenAuthentication(TOKEN))
                        .bodyAsString())
                .isEqualTo("{\"error\":\"invalid workspace auth token\"}");
        assertThat(send(client.get("/workspaces/" + WORKSPACE)).bodyAsString())
                .isEqualTo("{\"error\":\"missing workspace auth token\"}");
    }

    @Test
    void the_development_hatch_opens_without_a_bearer_but_not_with_a_wrong_one(Vertx vertx) {
        serve(vertx, "MOLECULE_ENV", "development");

        assertThat(send(client.get("/workspaces/" + WORKSPACE)).statusCode()).isEqualTo(200);
        assertThat(send(client.get("/workspaces/" + WORKSPACE).bearerTokenAuthentication("garbage"))
                        .statusCode())
                .isEqualTo(401);
    }

    @Test
    void in_development_a_strange_host_is_misdirected(Vertx vertx) {
        serve(vertx, "MOLECULE_ENV", "development");

        assertThat(send(client.get("/open").virtualHost("evil.example")).statusCode())
                .isEqualTo(421);
        assertThat(send(client.get("/open").virtualHost("localhost")).statusCode())
                .isEqualTo(200);
    }

    @Test
    void in_production_only_known_hosts_are_served_and_probes_everywhere(Vertx vertx) {
        production(vertx, "MOLECULE_HOSTS", "front-door", "EXTERNAL_PLATFORM_URL", "https://molecule.example:8443/x");

        for (var host : List.of("evil.example", "127.0.0.1.evil.example", "192.0.2.1", "")) {
            assertThat(send(client.get("/open").virtualHost(host)).statusCode())
                    .as(host)
                    .isEqualTo(421);
            assertThat(send(client.get("/health").virtualHost(host)).statusCode())
                    .as(host)
                    .isEqualTo(200);
        }
        for (var host : List.of("localhost", "127.0.0.1", "Front-Door", "molecule.example")) {
            assertThat(send(client.get("/open").virtualHost(host)).statusCode())
                    .as(host)
                    .isEqualTo(200);
        }
        assertThat(send(client.get("/open").virtualHost("evil.example").putHeader("X-Molecule-Edge", "edge"))
                        .statusCode())
                .as("judged at the front door")
                .isEqualTo(200);
    }

    @Test
    void a_forwarder_is_believed_who_asks_and_what_it_passes_on_is_judged_all_the_same(Vertx vertx) {
        production(vertx);
        String forwarder = Edge.forwarderSecret("edge");
        assertThat(forwarder)
                .as("as openssl makes it, see docs/kubernetes.md")
                .isEqualTo("32aeb0e9a1c098c579d84482db5e1ade25cdacbc01dcce6b231902bd16fad314");

        assertThat(send(client.get("/open").virtualHost("evil.example").putHeader("X-Molecule-Edge", forwarder))
                        .statusCode())
                .isEqualTo(421);
        assertThat(forwarded(forwarder, "https://desk.example:8443")).isEqualTo(200);
        assertThat(forwarded(forwarder, "https://evil.example")).isEqualTo(403);
        assertThat(forwarded("edge", "https://evil.example"))
                .as("judged at the front door")
                .isEqualTo(200);
        assertThat(forwarded("a guess", "https://desk.example:8443")).isEqualTo(403);
    }

    private int forwarded(String secret, String origin) {
        return send(client.get("/open")
                        .virtualHost("127.0.0.1")
                        .putHeader("X-Molecule-Edge", secret)
                        .putHeader("X-Forwarded-Host", "desk.example:8443")
                        .putHeader("X-Forwarded-Proto", "https")
                        .putHeader("Origin", origin))
                .statusCode();
    }

    @Test
    void an_operator_may_serve_every_host(Vertx vertx) {
        production(vertx, "MOLECULE_OPEN_HOSTS", "1");

        assertThat(send(client.get("/open").virtualHost("evil.example")).statusCode())
                .isEqualTo(200);
    }

    @Test
    void in_production_figures_ask_for_a_credential(Vertx vertx) {
        production(vertx);

        assertThat(send(client.get("/metrics")).bodyAsString()).isEqualTo("{\"error\":\"missing auth token\"}");
        assertThat(send(client.get("/metrics").bearerTokenAuthentication("garbage"))
                        .statusCode())
                .isEqualTo(401);
        for (String credential : List.of(TOKEN, "root")) {
            assertThat(send(client.get("/metrics").bearerTokenAuthentication(credential))
                            .bodyAsString())
                    .contains("molecule_http_requests_seconds_count");
        }
    }

    /** Tenants are strangers to each other, and an agent is of one at most. */
    @Test
    void figures_of_a_tenant_are_shown_to_the_organization_and_to_no_agent(Vertx vertx) {
        String figure = "molecule_model_tenant_calls_total{tenant=\"acme\"} 1.0";
        int own = TestStores.freePort();
        production(vertx, "MOLECULE_METRICS_PORT", String.valueOf(own));

        String toAnAgent =
                send(client.get("/metrics").bearerTokenAuthentication(TOKEN)).bodyAsString();
        assertThat(toAnAgent).contains("molecule_reconciler_ok").doesNotContain("acme");
        assertThat(send(client.get("/metrics").bearerTokenAuthentication("root"))
                        .bodyAsString())
                .contains(figure);
        assertThat(send(client.get(own, "127.0.0.1", "/metrics")).bodyAsString())
                .as("at the operator's own port")
                .contains(figure);

        production(vertx, "MOLECULE_OPEN_METRICS", "1");
        assertThat(send(client.get("/metrics")).bodyAsString())
                .contains("molecule_reconciler_ok")
                .doesNotContain("acme");
        serve(vertx);
        assertThat(send(client.get("/metrics")).bodyAsString())
                .as("in development")
                .contains(figure);
    }

    @Test
    void in_production_who_nobody_admitted_reads_nothing_of_others_and_moves_nothing_of_theirs(Vertx vertx) {
        production(vertx, "MOLECULE_OPEN_REGISTRATION", "1");

        for (var request : List.of(
                client.get("/metrics"),
                client.get("/known/" + WORKSPACE),
                client.get("/known"),
                client.put("/canvas"))) {
            var answer = send(request.bearerTokenAuthentication(UNADMITTED_TOKEN));
            assertThat(answer.statusCode()).isEqualTo(403);
            assertThat(answer.bodyAsString()).isEqualTo("{\"error\":\"workspace is not admitted\"}");
        }
        assertThat(send(client.get("/known/" + UNADMITTED).bearerTokenAuthentication(UNADMITTED_TOKEN))
                        .statusCode())
                .as("of itself")
                .isEqualTo(200);
        assertThat(send(client.put("/canvas").bearerTokenAuthentication(TOKEN)).statusCode())
                .isEqualTo(200);
    }

    @Test
    void an_operator_may_show_figures_to_everybody_or_at_a_port_of_their_own(Vertx vertx) {
        int own = TestStores.freePort();
        production(vertx, "MOLECULE_METRICS_PORT", String.valueOf(own));
        assertThat(send(client.get(own, "127.0.0.1", "/metrics")).statusCode()).isEqualTo(200);
        assertThat(send(client.get(own, "127.0.0.1", "/open")).statusCode()).isEqualTo(404);
        assertThat(send(client.get("/metrics")).statusCode()).isEqualTo(401);

        production(vertx, "MOLECULE_OPEN_METRICS", "1");
        assertThat(send(client.get("/metrics")).statusCode()).isEqualTo(200);
    }

    @Test
    void http2_is_not_spoken_in_clear(Vertx vertx) {
        serve(vertx);

        assertThat(raw(vertx, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")).startsWith("HTTP/2.0 501 "); // and closed
        assertThat(raw(vertx, """
                GET /health HTTP/1.1\r
                Host: 127.0.0.1\r
                Connection: Upgrade, HTTP2-Settings\r
                Upgrade: h2c\r
                HTTP2-Settings: AAMAAABkAAQAAP__\r
                \r
                """)).startsWith("HTTP/1.1 200 ");
    }

    @Test
    void where_only_agents_come_in_a_services_own_port_answers_nobody(Vertx vertx) throws Exception {
        serve(vertx, "MOLECULE_AGENTS_BIND", "127.0.0.2", "ADMIN_TOKEN", "root", "MOLECULE_BIND", "0.0.0.0");

        assertThat(send(client.get("/open")).statusCode()).isEqualTo(200);
        try (var socket = new Socket("127.0.0.2", port)) {
            socket.setSoTimeout(60_000);
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void what_the_platform_sends_to_agents_it_does_not_take_from_itself(Vertx vertx) {
        serve(vertx, "MOLECULE_ENV", "development");
        String target = UUID.randomUUID().toString();

        var fromItself = send(client.get("/admin").putHeader("X-Molecule-Target", target));
        var fromAnAgent =
                send(client.get("/admin").putHeader("X-Molecule-Target", target).bearerTokenAuthentication(TOKEN));

        assertThat(fromItself.statusCode()).isEqualTo(421);
        assertThat(fromItself.bodyAsString()).isEqualTo("{\"error\":\"this is the platform, not an agent\"}");
        assertThat(fromAnAgent.statusCode()).isEqualTo(200);
    }

    @Test
    void a_foreign_origin_is_refused_and_the_own_and_the_listed_pass(Vertx vertx) {
        serve(vertx);

        var foreign = send(client.get("/open").putHeader("Origin", "http://evil.example"));
        var listed = send(client.get("/open").putHeader("Origin", "http://localhost:3000"));

        assertThat(foreign.statusCode()).isEqualTo(403);
        assertThat(foreign.body()).isNull();
        assertThat(listed.getHeader("Access-Control-Allow-Origin")).isEqualTo("http://localhost:3000");
        assertThat(listed.getHeader("Access-Control-Allow-Credentials")).isEqualTo("true");
    }

    @Test
    void with_a_tenant_only_its_requests_find_anything(Vertx vertx) {
        serve(vertx, "MOLECULE_ORG_ID", "acme");

        assertThat(send(client.get("/open")).statusCode()).isEqualTo(404);
        assertThat(send(client.get("/health")).statusCode()).isEqualTo(200);
        assertThat(send(client.get("/open").putHeader("X-Molecule-Org-Id", "acme"))
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void the_probes_wear_the_security_headers_too_and_say_that_they_are_not_limited(Vertx vertx) {
        serve(vertx);

        for (var probe : List.of("/health", "/ready", "/metrics")) {
            var answer = send(client.get(probe));
            assertThat(answer.getHeader("X-Content-Type-Options")).as(probe).isEqualTo("nosniff");
            assertThat(answer.getHeader("Content-Security-Policy")).as(probe).isEqualTo("default-src 'self'");
            assertThat(answer.getHeader("X-RateLimit-Limit")).as(probe).isEqualTo("unlimited");
        }
    }

    @Test
    void health_and_metrics_answer_everybody(Vertx vertx) {
        serve(vertx);

        assertThat(send(client.get("/health")).bodyAsString()).isEqualTo("{\"status\":\"ok\"}");
        assertThat(send(client.get("/ready")).statusCode()).isEqualTo(200);
        assertThat(send(client.get("/metrics")).bodyAsString())
                .contains("molecule_http_requests_seconds_count{method=\"GET\",path=\"/health\",status=\"200\"}");
    }

    /** What comes back up to the end of the first JSON object. */
    private String raw(Vertx vertx, String request) {
        var socket =
                Kept.kept(vertx.createNetClient()).connect(port, "127.0.0.1").await();
        var all = Buffer.buffer();
        Promise<String> answer = Promise.promise();
        socket.handler(part -> {
            if (all.appendBuffer(part).toString().endsWith("}")) {
                answer.tryComplete(all.toString());
            }
        });
        socket.closeHandler(closed -> answer.tryComplete(all.toString()));
        socket.write(request);
        return answer.future().timeout(1, TimeUnit.MINUTES).await();
    }

    private static HttpResponse<Buffer> send(HttpRequest<Buffer> request) {
        return request.send().await();
    }

    private void production(Vertx vertx, String... overrides) {
        var all = new ArrayList<>(List.of(
                "MOLECULE_ENV", "production",
                "ADMIN_TOKEN", "root",
                "SECRETS_ENCRYPTION_KEY", "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
                "MOLECULE_EDGE_SECRET", "edge",
                "MOLECULE_BIND", "127.0.0.1"));
        all.addAll(List.of(overrides));
        serve(vertx, all.toArray(String[]::new));
    }

    private void serve(Vertx vertx, String... overrides) {
        var service = ServiceContext.open(vertx, TestConfig.platform(overrides), "guarded")
                .await();
        service.meters()
                .counter("molecule.model.tenant.calls", "tenant", "acme")
                .increment();
        var page = new RoutePage(service, new Guards(service.config(), credentials()));
        page.get("/open", Guard.OPEN, ctx -> Answers.json(ctx, Future.succeededFuture(Json.object())))
                .get("/admin", Guard.ADMIN, ctx -> Answers.json(ctx, Future.succeededFuture(Json.object())))
                .get("/known", Guard.CREDENTIAL, ctx -> Answers.json(ctx, Future.succeededFuture(Json.object())))
                .get("/known/:id", Guard.CREDENTIAL, ctx -> Answers.json(ctx, Future.succeededFuture(Json.object())))
                .put(
                        "/canvas",
                        Guard.CANVAS_OR_BEARER,
                        Reach.ORGANISATION,
                        ctx -> Answers.json(ctx, Future.succeededFuture(Json.object())))
                .get(
                        "/workspaces/:id",
                        Guard.WORKSPACE,
                        ctx -> Answers.json(ctx, Future.succeededFuture(Json.object())))
                .post(
                        "/echo",
                        Guard.OPEN,
                        Reach.NOTHING,
                        ctx -> Answers.json(
                                ctx,
                                Future.succeededFuture(
                                        JsonBody.of(ctx, "invalid body").members())));
        var server = service.listen(0, page.router()).await();
        port = server.actualPort();
        client = WebClient.create(
                vertx, new WebClientOptions().setDefaultHost("127.0.0.1").setDefaultPort(port));
    }

    private static Credentials credentials() {
        var known = Map.of(
                Credentials.hashOf(TOKEN), verdict(WORKSPACE, Standing.ADMITTED),
                Credentials.hashOf(UNADMITTED_TOKEN), verdict(UNADMITTED, Standing.UNADMITTED));
        var nobody = new Verdict(Holder.NOBODY, null, null, Standing.ADMITTED, null, true, true);
        return question -> Future.succeededFuture(known.getOrDefault(String.valueOf(question.tokenHash()), nobody));
    }

    private static Verdict verdict(UUID workspace, Standing standing) {
        return new Verdict(Holder.WORKSPACE, workspace, null, standing, null, true, true);
    }
}
