package ai.molecule.proxy.models;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.auth.ModelKey;
import ai.molecule.proxy.ProxyUnderTest;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
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

    @Test
    void in_its_programs_own_header_it_counts_in_its_workspaces_share_and_not_in_that_of_its_address(Vertx vertx) {
        var door = new DoorUnderTest(
                vertx,
                folder,
                limits -> limits,
                "ADMIN_TOKEN",
                "root",
                "RATE_LIMIT",
                "2",
                "RATE_LIMIT_WINDOW_SECONDS", // windows follow the clock: a short one may end in between
                "3600");
        String key = ModelKey.of(door.token);

        assertThat(listed(door, "x-api-key", key)).isEqualTo(200);
        IntStream.range(0, 3)
                .forEach(stranger -> door.proxy.client.get("/nowhere").send().await());
        assertThat(listed(door, "x-goog-api-key", key)).isEqualTo(200);
        assertThat(listed(door, "x-api-key", key)).isEqualTo(429);
        assertThat(listed(door, "x-api-key", "a guess")).as("at its address").isEqualTo(429);
    }

    @Test
    void that_header_speaks_for_nobody_elsewhere(Vertx vertx) {
        var door = new DoorUnderTest(vertx, folder, limits -> limits, "ADMIN_TOKEN", "root");

        for (String path : List.of("/usage", "/models-not", "/models/../usage")) {
            assertThat(door.proxy
                            .client
                            .get(path)
                            .putHeader("x-api-key", "root")
                            .send()
                            .await()
                            .statusCode())
                    .as(path)
                    .isGreaterThanOrEqualTo(400);
        }
    }

    private static int listed(DoorUnderTest door, String header, String key) {
        return door.proxy
                .client
                .get("/models")
                .putHeader(header, key)
                .send()
                .await()
                .statusCode();
    }
}
