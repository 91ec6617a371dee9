package ai.molecule.provisioner.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.provisioner.backend.Backend;
import ai.molecule.provisioner.backend.Launch;
import ai.molecule.provisioner.testing.WorkspaceBuilder;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whether one agent's container reaches another's past the platform, on the engine of this machine. */
class KeepingContainersApartTest extends DockerFixture {

    private static final String LISTEN = "perl -MIO::Socket::INET -e '$|=1; $s=IO::Socket::INET->new(LocalPort=>8000,"
            + "Listen=>5,ReuseAddr=>1); print \"started\\n\"; while ($c=$s->accept) { print $c \"hello\\n\"; close $c }'";

    private final UUID peer = UUID.randomUUID();
    private final String network = "molecule-test-" + UUID.randomUUID();

    @AfterEach
    void leaveNoNetwork() {
        if (backend == null) { // skipped: there is no engine, and nothing was begun
            return;
        }
        for (UUID agent : new UUID[] {id, peer}) {
            backend.findAlive(agent, null)
                    .await()
                    .ifPresent(process -> backend.stop(process).await());
            backend.delete(agent).await();
        }
        TestEngine.engine(vertx).delete("/networks/" + network).await();
    }

    @Test
    void in_production_it_does_not() {
        assertThat(heard("production")).isEqualTo("nothing");
    }

    @Test
    void in_development_it_does() {
        assertThat(heard("development")).isEqualTo("hello");
    }

    private String heard(String environment) {
        settings = TestEngine.settings(vertx, "MOLECULE_DOCKER_NETWORK", network, "MOLECULE_ENV", environment);
        backend = backend(vertx);
        start(LISTEN);
        awaitLog("started");
        // by its address, so that no name server decides what is heard
        String container = "ws-" + id.toString().substring(0, 12);
        String address = TestEngine.inspect(vertx, container)
                .getJsonObject("NetworkSettings")
                .getJsonObject("Networks")
                .getJsonObject(network)
                .getString("IPAddress");
        ask(
                backend,
                "perl -MIO::Socket::INET -e '$s=IO::Socket::INET->new(PeerAddr=>\"%s:8000\",Timeout=>5);"
                                .formatted(address)
                        + " print $s ? <$s> : \"nothing\\n\"; print \"over\\n\"'; sleep 60");
        await().until(() -> backend.logTail(peer).await().contains("over"));
        return backend.logTail(peer).await().lines().findFirst().orElseThrow();
    }

    private void ask(Backend backend, String script) {
        var workspace = WorkspaceBuilder.workspace(peer).tier(2).incarnation(1).build();
        int port = backend.choosePort(null, Set.of()).await();
        backend.start(new Launch(workspace, port, "the-token", new HashMap<>(Map.of("SCRIPT", script))))
                .await();
    }
}
