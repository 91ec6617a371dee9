package ai.molecule.runtime.mcpclient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The protocol's own Java server as a program. */
class IndependentMcpServerTest {

    @TempDir
    private Path folder;

    @Test
    void its_tools_are_listed_and_called() throws Exception {
        var config = ScriptedMcpServer.started(
                Duration.ofSeconds(60),
                Set.of(),
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                IndependentServer.class.getName());
        try (var link = new ServerLink(config, folder, Clock.systemUTC())) {
            link.tryToConnect();

            assertThat(link.trouble()).isEmpty();
            assertThat(link.tools())
                    .extracting(ListedTool::name, ListedTool::description)
                    .containsExactly(tuple("shout", "Says it louder."));
            assertThat(link.call(
                            link.tools().getFirst(),
                            JsonNodeFactory.instance.objectNode().put("text", "hey")))
                    .isEqualTo("hey!");
        }
    }
}
