package ai.molecule.proxy.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.auth.ModelKey;
import ai.molecule.proxy.ProxyUnderTest;
import ai.molecule.proxy.Reading;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_call_ends_when_the_token_that_pays_for_it_is_revoked(boolean byKey, Vertx vertx) {
        var door = new DoorUnderTest(vertx, folder);
        door.provider.answer = response -> {
            FakeProvider.events(response);
            response.write("data: {\"choices\":[{\"delta\":{\"content\":\"going on\"}}]}\n\n");
        };
        var reading = Reading.of(
                vertx,
                HttpMethod.POST,
                door.proxy.port,
                DoorUnderTest.CHAT,
                "{\"model\":\"fake:m\",\"stream\":true}",
                "Authorization",
                "Bearer " + (byKey ? ModelKey.of(door.token) : door.token));
        await().until(() -> reading.soFar().contains("going on"));

        door.proxy.platform.revoke(door.token);

        await().until(reading.end::isDone);
        assertThat(reading.end).isCompletedExceptionally();
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
