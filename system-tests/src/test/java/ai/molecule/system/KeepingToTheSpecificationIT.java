package ai.molecule.system;

import static ai.molecule.system.A2aCaller.id;
import static ai.molecule.system.A2aChecks.card;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * What A2A 1.0.1 demands of a server, and the most important of 0.3, by the sections of the specification: at our runtime's own port, and at the
 * front door, which is held to what its own card says. Each row is a sentence of the specification with MUST in it, or of its proto that a field is
 * required, unless it says otherwise.
 */
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(SharedPlatform.class)
class KeepingToTheSpecificationIT {

    private ScriptedAgent runtime;
    private A2aCaller own;
    private A2aCaller door;

    @BeforeAll
    void start(@TempDir Path folder, Platform platform) {
        String id = UUID.randomUUID().toString();
        runtime = new ScriptedAgent(id, folder, platform);
        String at = "http://localhost:" + runtime.port;
        own = new A2aCaller(at, at);
        door = new A2aCaller(platform.url + "/workspaces/" + id, platform.url + "/workspaces/" + id + "/a2a");
        String card = PlatformApi.JSON
                .createObjectNode()
                .put("id", id)
                .put("url", at)
                .<ObjectNode>set("agent_card", platform(own, "/.well-known/agent-card.json"))
                .toString();
        platform.post(200, "/registry/register", card);
    }

    private static JsonNode platform(A2aCaller agent, String path) {
        try {
            return agent.get(path, "A2A-Version", "").body();
        } catch (Exception unreachable) {
            throw new IllegalStateException(unreachable);
        }
    }

    @AfterAll
    void stop() {
        runtime.close();
    }

    @TestFactory
    Stream<DynamicNode> at_its_own_port_and_at_the_front_door() {
        return Stream.of(A2aOperationDemands.ALL, A2aWireDemands.ALL, A2a03Demands.ALL)
                .flatMap(List::stream)
                .flatMap(demand -> Stream.of(
                        DynamicTest.dynamicTest(
                                demand.section() + " " + demand.what() + " (own port)",
                                () -> demand.check().of(own)),
                        DynamicTest.dynamicTest(
                                demand.section() + " " + demand.what() + " (front door)",
                                () -> demand.check().of(door))));
    }
}
