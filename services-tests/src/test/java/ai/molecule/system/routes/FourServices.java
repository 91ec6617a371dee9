package ai.molecule.system.routes;

import static org.awaitility.Awaitility.await;

import ai.molecule.common.db.Postgres;
import ai.molecule.common.http.RoutePage;
import ai.molecule.common.routing.Owner;
import ai.molecule.common.testing.TestConfig;
import ai.molecule.events.EventsConfig;
import ai.molecule.events.EventsVerticle;
import ai.molecule.provisioner.ProvisionerConfig;
import ai.molecule.provisioner.ProvisionerVerticle;
import ai.molecule.proxy.ProxyConfig;
import ai.molecule.proxy.ProxyVerticle;
import ai.molecule.registry.RegistryConfig;
import ai.molecule.registry.RegistryVerticle;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The four services in this JVM, on a database of their own and without agents: what they serve, and where. */
final class FourServices implements AutoCloseable {

    /** As {@code MOLECULE_ENV}: development without an admin token, so that the hatch is open; production with one. */
    enum Mode {
        DEVELOPMENT,
        PRODUCTION
    }

    static final String ADMIN_TOKEN = "the-admin-token-of-this-test";

    private static final String KEY = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";

    final Mode mode;
    private final Pool database;
    private final Vertx vertx = Vertx.vertx();
    private final Map<Owner, Integer> ports = new EnumMap<>(Owner.class);
    private final Map<Owner, List<RoutePage.Entry>> routes = new EnumMap<>(Owner.class);
    private final Path templates = Path.of(temporaryFolder("templates"));
    private final String peer;
    private final String peerToken;
    private final String orgToken;
    private Target.@Nullable People people;
    private String branchPerson = "";

    private FourServices(Mode mode, Map<String, String> more) {
        this.mode = mode;
        var env = TestConfig.env("RATE_LIMIT", "10000000", "MOLECULE_BACKEND", "none", "MOLECULE_EDGE_SECRET", "edge");
        env.put("MOLECULE_ENV", mode.name());
        env.put("MOLECULE_BIND", "127.0.0.1");
        env.put("CONFIGS_DIR", templates.toString());
        env.put("SECRETS_ENCRYPTION_KEY", KEY);
        env.put("MOLECULE_LIVENESS_TTL_SECONDS", "3600"); // nobody falls silent while it is looked at
        if (mode == Mode.PRODUCTION) {
            env.put("ADMIN_TOKEN", ADMIN_TOKEN);
        }
        env.putAll(more);
        deploy(env);
        database = Postgres.pool(vertx, env.get("DATABASE_URL"), "public");
        var joined = newPolling("\"name\":\"Peer\"");
        peer = joined.id();
        peerToken = joined.token();
        orgToken = serves(Owner.REGISTRY, "POST /org/tokens")
                ? ask(200, post("/org/tokens", "{\"name\":\"walk\"}")).text("auth_token")
                : "";
    }

    static FourServices start(Mode mode) {
        return start(mode, Map.of());
    }

    /** @param more variables for all of them */
    static FourServices start(Mode mode, Map<String, String> more) {
        return new FourServices(mode, more);
    }

    int port(Owner owner) {
        return ports.get(owner);
    }

    /** Each service's own page. */
    Map<Owner, List<RoutePage.Entry>> routes() {
        return routes;
    }

    boolean serves(Owner owner, String methodAndPath) {
        return routes.get(owner).stream()
                .anyMatch(route -> (route.method() + " " + route.path()).equals(methodAndPath));
    }

    boolean hasOrgTokens() {
        return !orgToken.isEmpty();
    }

    /** An agent elsewhere that fetches its messages, with its token. */
    record Polling(String id, String token) {}

    /** @param members of the body that makes it, such as its name */
    Polling newPolling(String members) {
        var joined = ask(201, post("/workspaces", "{%s,\"external\":true}".formatted(members)));
        String id = joined.text("id");
        String token = joined.json().at("/connection/auth_token").asText();
        var home = "{\"id\":\"%s\",\"url\":\"remote://no-inbound\",\"agent_card\":{\"name\":\"Peer\"}}".formatted(id);
        ask(200, post("/registry/register", home).with("Authorization: Bearer " + token));
        return new Polling(id, token);
    }

    /** Where templates are kept. */
    Path templates() {
        return templates;
    }

    /** To look straight into all tables. */
    Pool database() {
        return database;
    }

    Target newTarget() {
        String id = ask(201, post("/workspaces", "{\"name\":\"Target\",\"runtime\":\"echo\"}"))
                .text("id");
        ask(201, post("/workspaces", "{\"name\":\"Child\",\"runtime\":\"echo\",\"parent_id\":\"%s\"}".formatted(id)));
        String tokens = "/workspaces/" + id + "/tokens";
        String revoked = ask(201, post(tokens, "")).text("auth_token");
        String listed =
                ask(200, Request.of("GET", tokens)).json().at("/tokens/0/id").asText();
        ask(200, Request.of("DELETE", tokens + "/" + listed));
        String own = ask(201, post(tokens, "")).text("auth_token");
        return new Target(id, peer, own, revoked, peerToken, orgToken, newSession(), people(id));
    }

    /** The same for all targets, but for the branch: that one's role is for this target from now on. */
    private Target.People people(String id) {
        if (people == null) {
            people = new Target.People(person("viewer"), person("operator"), person("owner"), person("branch"));
        }
        ask(
                200,
                Request.of("PATCH", "/people/" + branchPerson)
                        .body("{\"role\":\"operator\",\"branch\":\"%s\"}".formatted(id)));
        return people;
    }

    /** Invited, come by the link, and with a token for as much as it may. */
    private String person(String called) {
        String role = called.equals("branch") ? "operator" : called;
        var invited = ask(201, post("/people", "{\"login\":\"%s\",\"role\":\"%s\"}".formatted(called, role)));
        branchPerson = invited.text("id");
        return accepted(invited, "the password of " + called);
    }

    /**
     * Whoever was invited comes by the link.
     *
     * @param invited what the invitation was answered
     * @return as {@link #session}
     */
    String accepted(Answer invited, String password) {
        String link = invited.text("link").split("#link=", 2)[1];
        return session("/people/accept", "{\"link\":\"%s\",\"password\":\"%s\"}".formatted(link, password));
    }

    /** Each from an address of its own, because tries are counted. */
    private String newSession() {
        if (mode == Mode.DEVELOPMENT) {
            return "nobody.opened-it";
        }
        return session("/session", "{\"token\":\"" + ADMIN_TOKEN + "\"}");
    }

    /** The token of a session: what the cookie of a sign-in holds, and what its page keeps. */
    private String session(String path, String body) {
        var exchange = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port(Owner.PROXY) + path))
                .header("X-Molecule-Edge", "edge")
                .header("X-Forwarded-For", UUID.randomUUID().toString())
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        try (var client = HttpClient.newHttpClient()) {
            var answer = client.send(exchange, HttpResponse.BodyHandlers.ofString());
            String cookie =
                    answer.headers().firstValue("Set-Cookie").orElseThrow().split(";", 2)[0];
            return cookie.split("=", 2)[1] + "." + new JsonObject(answer.body()).getString("csrf_token");
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(stopped);
        }
    }

    /** With something of its own in each place where a workspace keeps what others must not read. */
    Victim newVictim() {
        String mark = "only-the-victims-" + UUID.randomUUID();
        String root = ask(201, post("/workspaces", "{\"name\":\"Root\",\"runtime\":\"echo\"}"))
                .text("id");
        String lead = child("Lead", root);
        String id = child("Victim", lead);
        String path = "/workspaces/" + id;
        ask(200, post(path + "/secrets", "{\"key\":\"A_KEY\",\"value\":\"%s\"}".formatted(mark)));
        for (String scope : List.of("LOCAL", "TEAM")) {
            ask(201, post(path + "/memories", "{\"content\":\"%s\",\"scope\":\"%s\"}".formatted(mark, scope)));
        }
        ask(200, post(path + "/memory", "{\"key\":\"k\",\"value\":\"%s\"}".formatted(mark)));
        ask(201, post(path + "/approvals", "{\"action\":\"%s\"}".formatted(mark)));
        ask(200, Request.of("PATCH", path + "/config").body("{\"mark\":\"%s\"}".formatted(mark)));
        // its secret has it restarted, once, and what was tried then is written down a moment later
        await().until(() -> !rowsOf("registry.restart_requests", id).contains(id));
        var rows = new AtomicReference<>("");
        await().during(Duration.ofSeconds(5)).until(() -> {
            String now = rowsOf(id);
            return now.equals(rows.getAndSet(now));
        });
        return new Victim(id, mark);
    }

    /** All that the tables of all services hold of a workspace, as one text; but for who was refused what about it. */
    String rowsOf(String id) {
        return tables().stream().map(table -> table + "\n" + rowsOf(table, id)).collect(Collectors.joining("\n--\n"));
    }

    private String rowsOf(String table, String id) {
        return database.query("""
                        SELECT coalesce(string_agg(t::text, E'\\n' ORDER BY t::text), '') FROM %s AS t
                        WHERE '%s' IN (to_jsonb(t) ->> 'id', to_jsonb(t) ->> 'workspace_id')
                            AND to_jsonb(t) ->> 'verb' IS DISTINCT FROM 'request.refused'
                        """.formatted(table, id))
                .execute()
                .await()
                .iterator()
                .next()
                .getString(0);
    }

    private String child(String name, String parent) {
        return ask(
                        201,
                        post(
                                "/workspaces",
                                "{\"name\":\"%s\",\"runtime\":\"echo\",\"parent_id\":\"%s\"}".formatted(name, parent)))
                .text("id");
    }

    /** As an administrator, at the front door. */
    Answer ask(int status, Request request) {
        boolean anonymous = request.headers().stream().noneMatch(line -> line.startsWith("Authorization:"));
        var sent =
                anonymous && mode == Mode.PRODUCTION ? request.with("Authorization: Bearer " + ADMIN_TOKEN) : request;
        var answer = Answer.to(port(Owner.PROXY), sent);
        if (answer.status() != status) {
            throw new AssertionError(status + " expected of " + request + " but " + answer);
        }
        return answer;
    }

    /** Every table of every schema. */
    List<String> tables() {
        return database.query("""
            SELECT table_schema || '.' || table_name AS name FROM information_schema.tables
             WHERE table_schema IN ('log', 'registry', 'proxy', 'events', 'provisioner')
               AND table_type = 'BASE TABLE'
             ORDER BY 1
            """).execute().await().stream()
                .map(row -> row.getString("name"))
                .toList();
    }

    /** Refusals and what was read of secrets before one are told as well, and are no changes. */
    long count(String table) {
        String changes = table.equals("log.audit")
                ? " WHERE entry::jsonb ->> 'verdict' <> 'refused' AND verb <> 'secret.read'"
                : "";
        return database.query("SELECT count(*) FROM " + table + changes)
                .execute()
                .await()
                .iterator()
                .next()
                .getLong(0);
    }

    @Override
    public void close() {
        database.close().await();
        vertx.close().await();
    }

    private static Request post(String path, String body) {
        return Request.of("POST", path).body(body);
    }

    private static String temporaryFolder(String name) {
        try {
            var folder = Files.createTempDirectory(name);
            folder.toFile().deleteOnExit();
            return folder.toString();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private void deploy(Map<String, String> env) {
        var registry = new RegistryVerticle(RegistryConfig.fromEnv(env));
        var events = new EventsVerticle(EventsConfig.fromEnv(env));
        vertx.deployVerticle(registry).await();
        vertx.deployVerticle(events).await();
        var provisioner = new ProvisionerVerticle(ProvisionerConfig.fromEnv(env));
        vertx.deployVerticle(provisioner).await();
        serving(Owner.REGISTRY, registry.actualPort(), registry.routes());
        serving(Owner.EVENTS, events.actualPort(), events.routes());
        serving(Owner.PROVISIONER, provisioner.actualPort(), provisioner.routes());
        ports.forEach((owner, port) -> env.put(owner + "_URL", "http://127.0.0.1:" + port));
        var proxy = new ProxyVerticle(ProxyConfig.fromEnv(env));
        vertx.deployVerticle(proxy).await();
        serving(Owner.PROXY, proxy.actualPort(), proxy.routes());
    }

    private void serving(Owner owner, int port, List<RoutePage.Entry> served) {
        ports.put(owner, port);
        routes.put(owner, served);
    }
}
