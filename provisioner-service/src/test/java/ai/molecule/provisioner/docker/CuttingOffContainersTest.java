package ai.molecule.provisioner.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.provisioner.backend.AgentProcess;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A quarantined agent's container is off the network while it ends, on the engine of this machine. */
class CuttingOffContainersTest extends DockerFixture {

    /** Says for ever whether it reaches the engine's machine, by the network's gateway. */
    private static final String TRIES =
            "perl -MIO::Socket::INET -e '$|=1; $SIG{TERM}=\"IGNORE\"; open(F,\"/proc/net/route\");"
                    + " while(<F>){@r=split; $g=join(\".\",reverse map{hex} $r[2]=~/../g) if $r[1] eq \"00000000\"}"
                    + " while(1){ $s=IO::Socket::INET->new(PeerAddr=>$g,PeerPort=>9,Timeout=>1);"
                    + " print $s||$!{ECONNREFUSED} ? \"reached\\n\" : \"alone\\n\"; sleep 1 }'";

    @Test
    void it_reaches_nobody_any_more_and_runs_until_it_is_stopped() {
        var process = start(TRIES);
        awaitLog("reached");

        backend.cutOff(id).await();
        backend.cutOff(id).await();

        assertThat(networksOf(process)).isEmpty();
        assertThat(backend.findAlive(id, process).await()).contains(process);
        await().until(() -> backend.logTail(id).await().strip().endsWith("alone"));
        backend.stop(process).await();
        assertThat(backend.findAlive(id, null).await()).isEmpty();
    }

    @Test
    void another_workspaces_container_of_that_name_is_left_alone_and_none_is_no_failure() {
        var process = start(STEADY);
        var alike = UUID.fromString(
                id.toString().substring(0, 12) + UUID.randomUUID().toString().substring(12));

        backend.cutOff(alike).await();
        backend.cutOff(UUID.randomUUID()).await();

        assertThat(networksOf(process)).containsExactly(settings.network());
    }

    @Test
    void once_released_its_next_container_is_in_the_network_again() {
        var suspect = start(STEADY);
        backend.cutOff(id).await();
        backend.stop(suspect).await();

        var next = start(STEADY);

        assertThat(networksOf(next)).containsExactly(settings.network());
    }

    private Set<String> networksOf(AgentProcess process) {
        return TestEngine.inspect(vertx, process.id())
                .getJsonObject("NetworkSettings")
                .getJsonObject("Networks")
                .fieldNames();
    }
}
