package ai.molecule.proxy.models;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.auth.ModelKey;
import ai.molecule.proxy.ProxyUnderTest;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The key that an agent's programs get in the place of a provider's. */
@ExtendWith(VertxExtension.class)
class PayingWithAKeyTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @Test
    void it_opens_the_model_door_for_its_workspace(Vertx vertx) {
        var door = new DoorUnderTest(vertx, folder);
        door.provider.saysWhole("{\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4}}");

        var answer = door.askAs(ModelKey.of(door.token), DoorUnderTest.CHAT, "{\"model\":\"fake:m\"}");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(door.row().getUUID("workspace_id")).isEqualTo(door.workspace);
    }

    @Test
    void it_speaks_for_nobody_elsewhere(Vertx vertx) {
        var door = new DoorUnderTest(vertx, folder);
        var target = door.proxy.agentSaying("{}");

        var answer = door.proxy.send(
                target,
                ProxyUnderTest.HELLO,
                "Authorization",
                "Bearer " + ModelKey.of(door.token),
                "X-Workspace-ID",
                door.workspace.toString());

        assertThat(answer.statusCode()).isEqualTo(401);
    }
}
