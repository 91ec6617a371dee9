package ai.molecule.registry.signins;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.registry.liveness.SilentOrganisation;
import ai.molecule.registry.signins.PgSignInStore.UnderWay;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Whose sign-in goes where more are under way than may be. */
@ExtendWith(VertxExtension.class)
@SuppressWarnings("NullAway.Init")
class CrowdedSignInsTest {

    private SilentOrganisation org;
    private PgSignInStore store;

    @BeforeEach
    void open(Vertx vertx) {
        org = new SilentOrganisation(vertx);
        store = new PgSignInStore(org.service.database());
    }

    @AfterEach
    void close() {
        org.service.close().await();
    }

    @Test
    void many_sign_ins_of_few_networks_push_out_none_of_another() {
        begin("mine", "192.0.2");
        for (int i = 0; i < 60; i++) {
            begin("of others " + i, "198.51." + i % 5);
        }

        assertThat(org.sql("SELECT 1 FROM sign_ins").size()).isEqualTo(10);
        assertThat(store.take(state("mine"), org.clock.instant()).await()).isPresent();
        assertThat(store.take(state("of others 59"), org.clock.instant()).await())
                .isPresent();
        assertThat(store.take(state("of others 0"), org.clock.instant()).await())
                .isEmpty();
    }

    private void begin(String state, String network) {
        org.advance(Duration.ofMillis(10));
        var now = org.clock.instant();
        store.insert(
                        state(state),
                        new UnderWay("provider", "nonce", "verifier", null),
                        network,
                        now,
                        now.plusSeconds(600),
                        9)
                .await();
    }

    private static byte[] state(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
