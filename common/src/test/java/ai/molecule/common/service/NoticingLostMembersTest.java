package ai.molecule.common.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.ReconcilerStatus;
import ai.molecule.common.cluster.Members;
import ai.molecule.common.testing.Cable;
import ai.molecule.common.testing.TestConfig;
import ai.molecule.common.testing.TestStores;
import io.vertx.core.Vertx;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A service in a cluster whose other members fall silent. */
class NoticingLostMembersTest {

    /** A connection that was silent is opened again after some time only. */
    private static final Duration MERGED = Duration.ofSeconds(40);

    @Test
    void a_member_that_is_lost_is_named_and_who_hears_nobody_is_not_ready() {
        var outside = Vertx.vertx();
        int onePort = TestStores.freePort();
        int otherPort = TestStores.freePort();
        var one = new Cable(outside, URI.create("tcp://127.0.0.1:" + onePort));
        var other = new Cable(outside, URI.create("tcp://127.0.0.1:" + otherPort));
        try (var members = new Members()) {
            var service = ServiceContext.open(
                            members.join("acme", null),
                            TestConfig.platform("DATABASE_URL", TestStores.freshDatabase()),
                            "guarded")
                    .await();
            members.joinBehind(one, onePort, "acme");
            members.joinBehind(other, otherPort, "acme");
            await().until(() -> neighbours(service).did().equals("looked at 2 other members"));

            one.silence();

            await().until(() -> !neighbours(service).ok());
            assertThat(neighbours(service).says()).startsWith("no answer from 127.0.0.1:" + one.port());
            assertThat(isReady(service)).isTrue();

            other.silence();

            await().until(() -> !isReady(service));

            one.join();
            other.join();

            await().atMost(MERGED).until(() -> neighbours(service).ok());
            assertThat(isReady(service)).isTrue();
            service.close().await();
        } finally {
            outside.close().await();
        }
    }

    private static boolean isReady(ServiceContext service) {
        return service.ready().map(true).otherwise(false).await();
    }

    private static ReconcilerStatus.One neighbours(ServiceContext service) {
        return service.reconcilers().status().reconcilers().stream()
                .filter(each -> each.name().equals("neighbours"))
                .findFirst()
                .orElseThrow();
    }
}
