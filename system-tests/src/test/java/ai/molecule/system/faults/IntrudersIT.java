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
import ai.molecule.common.testing.EmbeddedStores;
import ai.molecule.system.Platform;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.internal.VertxInternal;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whoever reaches the ports of the cluster and lacks one of its secrets gets nothing by it. */
class IntrudersIT {

    private static final int JOIN_SECONDS = 60;

    @TempDir
    static Path data;

    @TempDir
    static Path own;

    private static Platform platform;
    private static Map<String, String> variables;
    private static UUID workspace;

    @BeforeAll
    static void keepASecret() throws IOException {
        platform = Platform.up(data, "--no-demo", "--split", "--backend", "none");
        variables = Replica.variables(platform.processWith("RegistryMain").orElseThrow());
        var client = new Client(platform.url);
        workspace = UUID.fromString(client.post("/workspaces", "{\"name\":\"Owner\",\"external\":true}")
                .json()
                .get("id")
                .asText());
        assertThat(client.post("/settings/secrets", "{\"key\":\"API_KEY\",\"value\":\"s3cret\"}")
                        .good())
                .isTrue();
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

    private static void assertThatNothingHappened() throws IOException {
        var answer = new Client(platform.url).get("/workspaces/" + workspace).json();
        assertThat(answer.get("status").asText()).isEqualTo("awaiting_agent");
    }

    /** A node in this JVM with the platform's own variables, except for what is said. */
    private static final class Node implements AutoCloseable {
        private final Vertx vertx;
        private final Bus bus;

        Node(Map<String, String> different) throws Exception {
            Map<String, String> env = new HashMap<>(variables);
            env.put("MOLECULE_CLUSTER_PORT", String.valueOf(EmbeddedStores.freePort()));
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
