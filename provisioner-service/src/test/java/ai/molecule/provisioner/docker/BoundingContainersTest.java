package ai.molecule.provisioner.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a container may use and do, and what its agent is refused. */
class BoundingContainersTest extends DockerFixture {

    @Test
    void a_container_is_named_labelled_bounded_and_without_privileges() {
        var process = start(Map.of("SCRIPT", STEADY));

        var container = TestEngine.inspect(vertx, process.id());
        var config = container.getJsonObject("Config");
        var host = container.getJsonObject("HostConfig");
        assertThat(container.getString("Name")).isEqualTo("/ws-" + id.toString().substring(0, 12));
        assertThat(config.getString("Image")).isEqualTo("molecule-test/scripted-agent:1");
        assertThat(config.getString("User")).isEqualTo("10001:10001");
        assertThat(config.getJsonObject("Labels").getMap())
                .containsEntry("molecule.platform.managed", "true")
                .containsEntry("molecule.workspace.id", id.toString());
        assertThat(host.getBoolean("Privileged")).isFalse();
        assertThat(host.getJsonArray("CapDrop")).containsExactly("ALL");
        assertThat(host.getJsonArray("SecurityOpt")).containsExactly("no-new-privileges");
        assertThat(host.getJsonObject("RestartPolicy").getString("Name")).isEqualTo("no");
        assertThat(host.getLong("Memory")).isEqualTo(512L << 20);
        assertThat(host.getLong("NanoCpus")).isEqualTo(1_000_000_000L);
        assertThat(host.getLong("PidsLimit")).isEqualTo(256L);
        assertThat(host.getJsonObject("LogConfig").encode()).contains("max-size", "10m");
        assertThat(host.getJsonObject("PortBindings")
                        .getJsonArray("8000/tcp")
                        .getJsonObject(0)
                        .getString("HostIp"))
                .isEqualTo("127.0.0.1");
        assertThat(container.getJsonArray("Mounts").stream()
                        .map(mount -> ((JsonObject) mount).getString("Destination")))
                .containsExactlyInAnyOrder("/configs", "/workspace", "/home", "/plugins");
    }

    @Test
    void privileges_are_given_only_where_a_person_allowed_them() {
        var refused = new AgentContainer(settings, new Names("p"), 2, null).of(launch(Map.of(), 4, 1), "image");
        var allowed = new AgentContainer(
                        TestEngine.settings(vertx, "MOLECULE_ALLOW_PRIVILEGED", "1"), new Names("p"), 2, null)
                .of(launch(Map.of(), 4, 1), "image");

        assertThat(refused.getJsonObject("HostConfig").encode())
                .doesNotContain("docker.sock", "\"host\"", "\"Privileged\":true");
        assertThat(allowed.getJsonObject("HostConfig").encode())
                .contains(
                        "/var/run/docker.sock",
                        "\"NetworkMode\":\"host\"",
                        "\"Privileged\":true",
                        "\"PidMode\":\"host\"");
    }

    @Test
    void no_tier_is_promised_more_processors_than_the_machine_has() {
        assertThat(processorsOfTierFour(2)).isEqualTo(2_000_000_000L);
        assertThat(processorsOfTierFour(64)).isEqualTo(4_000_000_000L);
        int here = new EngineMachine(TestEngine.engine(vertx)).processors().await();
        assertThat(here).isPositive();

        assertThat(backend.start(launch(Map.of("SCRIPT", STEADY), 4, 1)).await())
                .isNotNull();
    }

    private long processorsOfTierFour(int machine) {
        return new AgentContainer(settings, new Names("p"), machine, null)
                .of(launch(Map.of(), 4, 1), "image")
                .getJsonObject("HostConfig")
                .getLong("NanoCpus");
    }

    @Test
    void what_a_tier_does_not_get_is_said() {
        assertThat(backend.withheld(launch(Map.of(), 3, 1).workspace()))
                .contains("agent runs without the privileges of tier 3; MOLECULE_ALLOW_PRIVILEGED=1 would grant them");
        assertThat(backend.withheld(launch(Map.of(), 2, 1).workspace())).isEmpty();
        assertThat(new DockerBackend(vertx, TestEngine.settings(vertx, "MOLECULE_ALLOW_PRIVILEGED", "1"))
                        .withheld(launch(Map.of(), 4, 1).workspace()))
                .isEmpty();
    }

    @Test
    void tier_one_cannot_write_to_its_image() {
        backend.start(launch(
                        Map.of("SCRIPT", "touch /etc/x /opt/x; touch /tmp/x /workspace/x && echo folders; sleep 60"),
                        1,
                        1))
                .await();

        awaitLog("folders");
        assertThat(TestEngine.inspect(vertx, "ws-" + id.toString().substring(0, 12))
                        .getJsonObject("HostConfig")
                        .getBoolean("ReadonlyRootfs"))
                .isTrue();
    }

    @Test
    void an_agent_that_takes_too_much_memory_ends_with_that_reason() {
        var process = start(Map.of("SCRIPT", "echo begin; exec tail /dev/zero"));

        backend.exitOf(process).await();

        await().untilAsserted(() ->
                assertThat(backend.describeExit(id, process).await()).isEqualTo("out of memory"));
    }
}
