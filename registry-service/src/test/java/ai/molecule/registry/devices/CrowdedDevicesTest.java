package ai.molecule.registry.devices;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.registry.liveness.SilentOrganisation;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Which program goes where more wait for a person than may. */
@ExtendWith(VertxExtension.class)
@SuppressWarnings("NullAway.Init")
class CrowdedDevicesTest {

    private SilentOrganisation org;
    private PgDeviceStore store;

    @BeforeEach
    void open(Vertx vertx) {
        org = new SilentOrganisation(vertx);
        store = new PgDeviceStore(org.service.database());
    }

    @AfterEach
    void close() {
        org.service.close().await();
    }

    @Test
    void many_programs_of_few_networks_push_out_none_of_another() {
        begin("mine", "192.0.2");
        for (int i = 0; i < 60; i++) {
            begin("of others " + i, "198.51." + i % 5);
        }

        assertThat(org.sql("SELECT 1 FROM devices").size()).isEqualTo(10);
        assertThat(store.find("mine", org.clock.instant()).await()).isPresent();
        assertThat(store.find("of others 59", org.clock.instant()).await()).isPresent();
        assertThat(store.find("of others 0", org.clock.instant()).await()).isEmpty();
    }

    private void begin(String code, String network) {
        org.advance(Duration.ofMillis(10));
        var now = org.clock.instant();
        store.insert("device " + code, code, "a program", network + ".1", network, now, now.plusSeconds(600), 9)
                .await();
    }
}
