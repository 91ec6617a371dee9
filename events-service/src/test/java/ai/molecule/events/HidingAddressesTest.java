package ai.molecule.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Where agents listen is told in production to people, and to themselves. */
@ExtendWith(VertxExtension.class)
class HidingAddressesTest {

    private static final String ONLINE =
            "{\"url\":\"http://10.0.0.7:9\",\"agent_card\":{\"url\":\"http://10.0.0.7:9\",\"name\":\"c\"}}";

    @Test
    void an_agent_is_told_the_platforms_address_of_another_and_its_own_as_it_is(Vertx vertx) {
        var service = EventsFixture.production(vertx, "EXTERNAL_PLATFORM_URL", "https://molecule.example/");
        var root = service.organisation.add("root", null);
        var child = service.organisation.add("child", root);
        var other = service.agent(root, service.organisation.tokenFor(root), "");
        var itself = service.agent(child, service.organisation.tokenFor(child), "");
        var canvas = service.bearer("root", "");

        comesOnline(service, child);

        await().until(() -> other.heard.size() == 1 && itself.heard.size() == 1 && canvas.heard.size() == 1);
        String door = "https://molecule.example/workspaces/%s/a2a".formatted(child);
        assertThat(payload(other))
                .isEqualTo("{\"url\":\"%s\",\"agent_card\":{\"url\":\"%s\",\"name\":\"c\"}}".formatted(door, door));
        assertThat(payload(itself)).isEqualTo(ONLINE);
        assertThat(payload(canvas)).isEqualTo(ONLINE);
    }

    @Test
    void nor_does_a_replay_tell_it_where_the_platform_does_not_know_its_own_address(Vertx vertx) {
        var service = EventsFixture.production(vertx);
        var root = service.organisation.add("root", null);
        var child = service.organisation.add("child", root);
        comesOnline(service, child);
        service.awaitRecorded(1);

        var other = service.agent(root, service.organisation.tokenFor(root), "?since=0");

        await().until(() -> other.heard.size() == 1);
        assertThat(payload(other)).isEqualTo("{\"url\":\"\",\"agent_card\":{\"url\":\"\",\"name\":\"c\"}}");
    }

    @Test
    void where_that_door_is_open_it_is_told_the_real_one(Vertx vertx) {
        var service = EventsFixture.production(vertx, "MOLECULE_OPEN_PEERS", "1");
        var root = service.organisation.add("root", null);
        var child = service.organisation.add("child", root);
        var other = service.agent(root, service.organisation.tokenFor(root), "");

        comesOnline(service, child);

        await().until(() -> other.heard.size() == 1);
        assertThat(payload(other)).isEqualTo(ONLINE);
    }

    private static void comesOnline(EventsFixture service, UUID workspace) {
        service.log
                .append(service.pool, "WORKSPACE_ONLINE", workspace, (ObjectNode) Json.stored(ONLINE))
                .await();
        service.log.committed();
    }

    private static String payload(Peer peer) {
        return peer.events().getFirst().path("payload").toString();
    }
}
