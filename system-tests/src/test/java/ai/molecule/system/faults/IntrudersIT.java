package ai.molecule.system.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.SecretsFor;
import ai.molecule.common.bus.registry.SetDesired;
import ai.molecule.common.cluster.ClusterConfig;
import ai.molecule.common.cluster.ClusteredVertx;
import ai.molecule.common.cluster.NewCertificate;
import ai.molecule.common.config.Env;
import ai.molecule.common.testing.TestStores;
import ai.molecule.system.Launcher;
import ai.molecule.system.Platform;
import ai.molecule.testkit.Waits;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.internal.VertxInternal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whoever reaches the ports of the cluster, or an agent's, and lacks one of its secrets gets nothing by it. */
@Tag("full")
class IntrudersIT {

    private static final int JOIN_SECONDS = 60;
    private static final String ADMIN = "the-admin-token-of-this-test";
    /** Peers learn each other's own addresses, and agents hear every second of what changed. */
    private static final Map<String, String> ENVIRONMENT = Map.of(
            "ADMIN_TOKEN",
            ADMIN,
            "MOLECULE_OPEN_PEERS",
            "1",
            "MOLECULE_HEARTBEAT_SECONDS",
            "1",
            "RATE_LIMIT",
            "100000");

    @TempDir
    static Path data;

    @TempDir
    static Path own;

    private static Platform platform;
    private static Map<String, String> variables;
    private static UUID workspace;
    private static String caller;
    private static String target;
    private static String other;

    @BeforeAll
    static void keepASecret() throws IOException {
        platform = Platform.up(ENVIRONMENT, data, "--no-demo", "--split", "--env", "production", "--trust-agents");
        caller = platform.create("Caller", "echo", null);
        target = platform.create("Target", "echo", null);
        other = platform.create("Other", "echo", null);
        variables = Replica.variables(platform.processWith("RegistryMain").orElseThrow());
        var client = new Client(platform.url);
        workspace = UUID.fromString(client.post("/workspaces", "{\"name\":\"Owner\",\"external\":true}", ADMIN)
                .json()
                .get("id")
                .asText());
        assertThat(client.post("/settings/secrets", "{\"key\":\"API_KEY\",\"value\":\"s3cret\"}", ADMIN)
                        .good())
                .isTrue();
        List.of(caller, target, other).forEach(id -> platform.awaitStatus(id, "online"));
    }

    @AfterAll
    static void stop() {
        platform.close();
    }

    @Test
    void with_all_of_them_a_node_is_a_member_and_reads_the_secret() throws Exception {
        try (var member = new Node(Map.of())) {
            assertThat(member.nodes()).isEqualTo(5);

            // on a busy machine the first handshakes may outlast the call that needs them
            await().atMost(Duration.ofSeconds(JOIN_SECONDS))
                    .ignoreException(ApiError.class)
                    .until(() -> "s3cret".equals(member.secrets().values().get("API_KEY")));
        }
    }

    @Test
    void without_the_name_it_does_not_join() throws Exception {
        try (var stranger = new Node(Map.of("MOLECULE_CLUSTER_NAME", "molecule"))) {
            assertThat(stranger.nodes()).isEqualTo(1);

            assertThatThrownBy(stranger::secrets).isInstanceOf(ApiError.class);
        }
    }

    @Test
    void with_the_name_and_no_certificate_it_calls_nothing_and_reads_no_secret() throws Exception {
        try (var naked = new Node(Map.of(
                "MOLECULE_CLUSTER_CERTIFICATE_FILE", "",
                "MOLECULE_CLUSTER_KEY_FILE", "",
                "MOLECULE_CLUSTER_CA_FILE", ""))) {
            assertThat(naked.nodes()).isEqualTo(5);

            assertThatThrownBy(naked::secrets).isInstanceOf(ApiError.class);
            assertThatThrownBy(naked::pause).isInstanceOf(ApiError.class);
            assertThatNothingHappened();
        }
    }

    @Test
    void with_the_name_and_a_certificate_of_its_own_making_neither() throws Exception {
        var forged = NewCertificate.make(own);
        try (var forger = new Node(Map.of(
                "MOLECULE_CLUSTER_CERTIFICATE", forged.chain(),
                "MOLECULE_CLUSTER_KEY", forged.key()))) {
            assertThat(forger.nodes()).isEqualTo(5);

            assertThatThrownBy(forger::secrets).isInstanceOf(ApiError.class);
            assertThatThrownBy(forger::pause).isInstanceOf(ApiError.class);
            assertThatNothingHappened();
        }
    }

    /** A name alone lets a node announce that it serves something too: who asks it finds no certificate and says nothing. */
    @Test
    void what_it_claims_to_serve_it_does_not_get_to_hear() throws Exception {
        try (var naked = new Node(Map.of(
                        "MOLECULE_CLUSTER_CERTIFICATE_FILE", "",
                        "MOLECULE_CLUSTER_KEY_FILE", "",
                        "MOLECULE_CLUSTER_CA_FILE", ""));
                var member = new Node(Map.of())) {
            var heard = new AtomicInteger();
            naked.vertx
                    .eventBus()
                    .consumer("test.claimed", message -> heard.incrementAndGet())
                    .completion()
                    .await();

            var briefly = new DeliveryOptions().setSendTimeout(2_000);
            var asking = member.vertx.eventBus().request("test.claimed", "psst", briefly);
            assertThatThrownBy(asking::await).isInstanceOf(ReplyException.class);

            assertThat(heard).hasValue(0);
        }
    }

    @Test
    void at_an_agents_own_port_only_a_token_for_it_is_heard_and_the_card_is_open() throws Exception {
        var stolen = oneThatIsHeard();
        String own = newToken(target).path("auth_token").asText();

        assertThat(call(stolen.url, caller, "").status()).isEqualTo(401);
        assertThat(call(stolen.url, "", "").status()).isEqualTo(401);
        assertThat(call(stolen.url, target, own).status()).isEqualTo(401);
        assertThat(call(stolen.url, caller, newToken(caller).path("auth_token").asText())
                        .status())
                .isEqualTo(401);
        assertThat(call(stolen.url, other, stolen.token).body()).contains("of another caller");
        assertThat(call(stolen.url, "", stolen.token).body()).contains("of another caller");
        assertThat(stolen.at(new Stolen(other).url).body()).contains("issued for another workspace");
        assertThat(new Client(stolen.url).get("/.well-known/agent-card.json").status())
                .isEqualTo(200);
        assertThat(platform.say(target, "the platform itself")).contains("the platform itself");
    }

    /** Whoever it says that it is, the record has who it was; and one row altered afterwards is found without the platform. */
    @Test
    void a_person_signs_in_and_approves_and_the_record_says_so_and_shows_the_one_row_that_was_altered()
            throws IOException {
        String link = platform.post(201, "/people", "{\"login\":\"kim\",\"role\":\"operator\"}")
                .path("link")
                .asText();
        var come = browser(
                "/people/accept",
                "{\"link\":\"%s\",\"password\":\"a password of hers\"}".formatted(link.split("#link=", 2)[1]),
                "",
                "");
        assertThat(come.statusCode()).as(come.body()).isEqualTo(201);
        String session = come.headers().firstValue("Set-Cookie").orElseThrow().split(";", 2)[0];
        String half = Platform.JSON.readTree(come.body()).path("csrf_token").asText();
        String approvals = "/workspaces/" + other + "/approvals";
        String asked = platform.post(201, approvals, "{\"action\":\"publish the report\"}")
                .path("approval_id")
                .asText();

        var decided = browser(
                approvals + "/" + asked + "/decide",
                "{\"decision\":\"approved\",\"decided_by\":\"somebody else\"}",
                session,
                half);

        assertThat(decided.statusCode()).as(decided.body()).isEqualTo(200);
        assertThat(platform.get(approvals).findValuesAsText("decided_by")).containsExactly("kim");
        var record = own.resolve("record.jsonl");
        await().until(() -> {
            Files.writeString(record, exported());
            return Files.readString(record)
                    .lines()
                    .anyMatch(line -> line.contains("approval.approved") && line.contains(asked));
        });
        String row = Files.readString(record)
                .lines()
                .filter(line -> line.contains("approval.approved") && line.contains(asked))
                .findFirst()
                .orElseThrow();
        var entry =
                Platform.JSON.readTree(Platform.JSON.readTree(row).path("entry").asText());
        assertThat(entry.at("/actor/kind").asText()).isEqualTo("person");
        assertThat(entry.at("/actor/name").asText()).isEqualTo("kim");
        assertThat(Launcher.run("audit", "verify", record.toString()).exitCode())
                .isZero();

        Files.writeString(record, Files.readString(record).replace(row, row.replace("kim", "lee")));

        var found = Launcher.run("audit", "verify", record.toString());
        assertThat(found.exitCode()).isEqualTo(1);
        assertThat(found.out())
                .contains("Row %s is not what was recorded"
                        .formatted(Platform.JSON.readTree(row).path("seq").asText()));
    }

    private static String exported() throws IOException {
        return new Client(platform.url)
                .send("GET", "/audit", "", "Authorization", "Bearer " + ADMIN, "Accept", "application/jsonl")
                .body();
    }

    /** As the page sends it. */
    private static HttpResponse<String> browser(String path, String body, String cookie, String half)
            throws IOException {
        var request = HttpRequest.newBuilder(URI.create(platform.url + path))
                .header("Content-Type", "application/json")
                .timeout(Waits.PATIENCE)
                .POST(HttpRequest.BodyPublishers.ofString(body));
        if (!cookie.isEmpty()) {
            request.header("Cookie", cookie).header("X-Molecule-CSRF", half);
        }
        try {
            return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException(interrupted);
        }
    }

    private record Change(String what, Runnable made, Runnable undone) {}

    /** With the next heartbeat, and never for the platform, whoever of the two hears of it first. */
    @Test
    void a_stolen_token_ends_with_a_revocation_a_move_a_restart_a_pause_and_another_key() throws Exception {
        String workspaces = "/workspaces/" + caller;
        Runnable nothing = () -> {};
        List<Change> changes = List.of(
                new Change(
                        "revocation",
                        () -> platform.delete(workspaces + "/tokens/"
                                + platform.get(workspaces + "/tokens")
                                        .at("/tokens/0/id")
                                        .asText()),
                        nothing),
                new Change(
                        "move",
                        () -> platform.patch(workspaces, "{\"parent_id\":\"%s\"}".formatted(other)),
                        () -> platform.patch(workspaces, "{\"parent_id\":null}")),
                new Change("restart", () -> platform.post(200, workspaces + "/restart", ""), nothing),
                new Change(
                        "pause",
                        () -> platform.post(200, workspaces + "/pause", ""),
                        () -> platform.post(200, workspaces + "/resume", "")),
                new Change("another key", () -> platform.post(200, "/admin/keys/rotate?at_once=1", ""), nothing));
        for (var change : changes) {
            var stolen = oneThatIsHeard();

            change.made.run();

            assertThat(platform.say(target, "still heard")).as(change.what).contains("still heard");
            await(change.what)
                    .untilAsserted(
                            () -> assertThat(stolen.at(stolen.url).status()).isEqualTo(401));
            assertThat(platform.say(target, "heard again")).as(change.what).contains("heard again");
            change.undone.run();
        }
    }

    /** What the change before this one brought about later may have ended a first one. */
    private static Stolen oneThatIsHeard() {
        return await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofSeconds(1))
                .until(() -> new Stolen(target), stolen -> stolen.at(stolen.url).status() == 200);
    }

    private static JsonNode newToken(String id) {
        return platform.post(201, "/workspaces/" + id + "/tokens", "");
    }

    private static Client.Answer call(String url, String from, String token) {
        List<String> headers = new ArrayList<>(List.of("Content-Type", "application/json"));
        if (!from.isEmpty()) {
            headers.addAll(List.of("X-Workspace-ID", from));
        }
        if (!token.isEmpty()) {
            headers.addAll(List.of("Authorization", "Bearer " + token));
        }
        String message = """
                {"jsonrpc":"2.0","id":"1","method":"message/send","params":{"message":{"role":"user","messageId":"%s",
                "parts":[{"kind":"text","text":"psst"}]}}}""".formatted(UUID.randomUUID());
        try {
            return new Client(url).send("POST", "", message, headers.toArray(String[]::new));
        } catch (IOException lost) {
            throw new UncheckedIOException(lost);
        }
    }

    /** What the caller was given for a target, in the hands of somebody else. */
    private static final class Stolen {
        private final String url;
        private final String token;

        Stolen(String of) throws IOException {
            var found = new Client(platform.url)
                    .send(
                            "GET",
                            "/registry/discover/" + of,
                            "",
                            "X-Workspace-ID",
                            caller,
                            "Authorization",
                            "Bearer " + newToken(caller).path("auth_token").asText());
            assertThat(found.status()).as(found.body()).isEqualTo(200);
            url = found.json().path("url").asText();
            token = found.json().path("token").asText();
        }

        Client.Answer at(String address) {
            return call(address, caller, token);
        }
    }

    private static void assertThatNothingHappened() {
        var answer = platform.get("/workspaces/" + workspace);
        assertThat(answer.get("status").asText()).isEqualTo("awaiting_agent");
    }

    /** A node in this JVM with the platform's own variables, except for what is said; an intruder does not ask itself for what production asks. */
    private static final class Node implements AutoCloseable {
        private final Vertx vertx;
        private final Bus bus;

        Node(Map<String, String> different) throws Exception {
            Map<String, String> env = new HashMap<>(variables);
            env.put("MOLECULE_CLUSTER_PORT", String.valueOf(TestStores.freePort()));
            env.remove("MOLECULE_ENV");
            env.putAll(different);
            vertx = ClusteredVertx.start(ClusterConfig.fromEnv(new Env(env))).await(JOIN_SECONDS, TimeUnit.SECONDS);
            bus = new Bus(vertx);
        }

        int nodes() {
            return ((VertxInternal) vertx).clusterManager().getNodes().size();
        }

        SecretsFor.Bundle secrets() {
            return bus.call(SecretsFor.CONTRACT, new SecretsFor(workspace)).await();
        }

        SetDesired.Done pause() {
            return bus.call(SetDesired.CONTRACT, new SetDesired(workspace, SetDesired.Action.PAUSE, null, null))
                    .await();
        }

        @Override
        public void close() {
            vertx.close().await();
        }
    }
}
