package ai.molecule.proxy.models;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A workspace whose secrets name another address for a provider. */
@ExtendWith(VertxExtension.class)
class OwnAddressesTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @Test
    void it_is_asked_there_without_a_key_and_nobody_knows_the_cost(Vertx vertx) {
        var door = new DoorUnderTest(vertx, folder, limits -> limits, "MOLECULE_ENV", "development");
        var elsewhere = new FakeProvider(vertx);
        elsewhere.saysWhole("{\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4}}");
        door.proxy.platform.secrets.remove("FAKE_KEY");
        door.proxy.platform.secrets.put("FAKE_URL", elsewhere.url() + "/own/");

        var answer = door.ask(DoorUnderTest.CHAT, "{\"model\":\"fake:m\"}");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(elsewhere.asked).singleElement().satisfies(asked -> {
            assertThat(asked.uri()).isEqualTo("/own/chat/completions");
            assertThat(asked.headers().contains("Authorization")).isFalse();
        });
        assertThat(door.provider.asked).isEmpty();
        assertThat(door.row().getLong("cost_micros")).isNull();
    }

    @Test
    void a_key_goes_with_it(Vertx vertx) {
        var door = new DoorUnderTest(vertx, folder, limits -> limits, "MOLECULE_ENV", "development");
        var elsewhere = new FakeProvider(vertx);
        door.proxy.platform.secrets.put("FAKE_URL", elsewhere.url());

        door.ask(DoorUnderTest.CHAT, "{\"model\":\"fake:m\"}");

        assertThat(elsewhere.asked)
                .singleElement()
                .satisfies(asked ->
                        assertThat(asked.headers().get("Authorization")).isEqualTo("Bearer " + DoorUnderTest.KEY));
    }

    /** Else whoever has a workspace's token reads the key of all by having it sent to itself. */
    @Test
    void a_key_that_was_given_to_all_does_not_go_there(Vertx vertx) {
        var door = new DoorUnderTest(vertx, folder, limits -> limits, "MOLECULE_ENV", "development");
        var elsewhere = new FakeProvider(vertx);
        door.proxy.platform.secrets.put("FAKE_URL", elsewhere.url());
        door.proxy.platform.globalSecrets.add("FAKE_KEY");

        door.ask(DoorUnderTest.CHAT, "{\"model\":\"fake:m\"}");
        door.ask(DoorUnderTest.MESSAGES, "{\"model\":\"fake:m\"}");

        assertThat(elsewhere.asked)
                .hasSize(2)
                .allSatisfy(asked -> assertThat(asked.headers().toString() + asked.uri() + asked.body())
                        .doesNotContain(DoorUnderTest.KEY));
        assertThat(door.provider.asked).isEmpty();
    }

    @Test
    void a_key_does_not_go_to_an_address_that_a_lower_right_set(Vertx vertx) {
        var door = new DoorUnderTest(vertx, folder, limits -> limits, "MOLECULE_ENV", "development");
        var elsewhere = new FakeProvider(vertx);
        door.proxy.platform.secrets.put("FAKE_URL", elsewhere.url());
        door.proxy.platform.setBy.put("FAKE_URL", 0);
        door.proxy.platform.setBy.put("FAKE_KEY", 1);

        var answer = door.ask(DoorUnderTest.CHAT, "{\"model\":\"fake:m\"}");

        assertThat(answer.statusCode()).isEqualTo(403);
        assertThat(answer.bodyAsString()).contains("the secret FAKE_KEY is not sent to the address in FAKE_URL");
        assertThat(elsewhere.asked).isEmpty();
        assertThat(door.provider.asked).isEmpty();
    }

    @Test
    void what_an_administrator_gave_to_all_is_dialled_wherever_it_leads(Vertx vertx) {
        var door = new DoorUnderTest(vertx, folder, limits -> limits, "MOLECULE_ENV", "production", "ADMIN_TOKEN", "a");
        var elsewhere = new FakeProvider(vertx);
        door.proxy.platform.secrets.put("FAKE_URL", elsewhere.url());

        int own = door.ask(DoorUnderTest.CHAT, "{\"model\":\"fake:m\"}").statusCode();
        door.proxy.platform.globalSecrets.add("FAKE_URL");
        var other = door.proxy.platform.tokenOf(UUID.randomUUID());

        assertThat(own).isEqualTo(403);
        assertThat(door.askAs(other, DoorUnderTest.CHAT, "{\"model\":\"fake:m\"}")
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void an_address_that_nobody_may_dial_is_refused_and_costs_nothing(Vertx vertx) {
        var door = new DoorUnderTest(vertx, folder, limits -> limits, "MOLECULE_ENV", "development");
        door.proxy.platform.secrets.put("FAKE_URL", "http://169.254.169.254/latest");

        var answer = door.ask(DoorUnderTest.CHAT, "{\"model\":\"fake:m\"}");

        assertThat(answer.statusCode()).isEqualTo(403);
        assertThat(answer.bodyAsString()).contains("the secret FAKE_URL leads to an address");
    }
}
