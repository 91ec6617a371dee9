package ai.molecule.common.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.Contract;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Members that know each other's addresses and the cluster's name, and hold a certificate of the cluster, share one bus. */
class FormingAClusterTest {

    private record Ping(int number) {}

    private record Pong(int number) {}

    private static final Contract<Ping, Pong> PING = Contract.of("test.ping", Ping.class, Pong.class);

    /** The same for who is not to get an answer. */
    private static final Contract<Ping, Pong> BRIEF_PING =
            new Contract<>(PING.address(), Ping.class, Pong.class, Duration.ofSeconds(1));

    private final AtomicInteger asked = new AtomicInteger();

    @Test
    void a_call_crosses_from_one_member_to_another() {
        try (var members = new Members()) {
            serve(members.join("acme", null));

            assertThat(ping(members.join("acme", null))).isEqualTo(new Pong(42));
        }
    }

    @Test
    void with_a_certificate_it_crosses_too_and_while_one_authority_replaces_another(@TempDir Path folder)
            throws IOException {
        var old = NewCertificate.make(folder);
        var fresh = NewCertificate.make(folder);
        String both = old.chain() + fresh.chain();
        try (var members = new Members()) {
            serve(members.join("acme", new ClusterCertificate(old.chain(), old.key(), both)));

            var renewed = members.join("acme", new ClusterCertificate(fresh.chain(), fresh.key(), both));

            assertThat(ping(renewed)).isEqualTo(new Pong(42));
        }
    }

    @Test
    void who_knows_the_name_and_holds_no_certificate_of_the_cluster_calls_nothing(@TempDir Path folder)
            throws IOException {
        try (var members = new Members()) {
            serve(members.join("acme", NewCertificate.make(folder)));
            var stranger = members.join("acme", NewCertificate.make(folder));
            var naked = members.join("acme", null);

            assertThatThrownBy(() -> ping(stranger, BRIEF_PING)).isInstanceOf(ApiError.class);
            assertThatThrownBy(() -> ping(naked, BRIEF_PING)).isInstanceOf(ApiError.class);

            assertThat(asked).hasValue(0);
        }
    }

    private void serve(Vertx member) {
        new Bus(member)
                .serve(PING, ping -> {
                    asked.incrementAndGet();
                    return Future.succeededFuture(new Pong(ping.number() + 1));
                })
                .await();
    }

    private static Pong ping(Vertx member) {
        return ping(member, PING);
    }

    private static Pong ping(Vertx member, Contract<Ping, Pong> contract) {
        return new Bus(member).call(contract, new Ping(41)).await();
    }
}
