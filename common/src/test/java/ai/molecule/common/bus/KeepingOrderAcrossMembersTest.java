package ai.molecule.common.bus;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.cluster.ClusterConfig;
import ai.molecule.common.cluster.ClusteredVertx;
import ai.molecule.common.net.Ports;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Two members of a cluster, one of which speaks to the other at several addresses. */
class KeepingOrderAcrossMembersTest {

    record Said(int number) {}

    private static final Contract<Said, Said> CALL = Contract.of("order.call", Said.class, Said.class);

    private static final List<Vertx> MEMBERS = new ArrayList<>();

    @BeforeAll
    static void start() throws IOException {
        var ports = List.of(Ports.free(), Ports.free());
        var addresses = ports.stream().map(port -> "127.0.0.1:" + port).toList();
        String name = "order-" + UUID.randomUUID();
        for (int port : ports) {
            MEMBERS.add(ClusteredVertx.start(
                            new ClusterConfig(ClusterConfig.Mode.TCP, name, "127.0.0.1", port, 0, addresses, "", null))
                    .await());
        }
    }

    @AfterAll
    static void stop() {
        MEMBERS.forEach(member -> member.close().await());
    }

    @Test
    void a_call_made_after_a_hint_went_ahead_arrives_behind_it_also_when_nobody_knew_yet_who_listens() {
        // Given
        List<String> heard = new CopyOnWriteArrayList<>();
        var here = new Bus(MEMBERS.getFirst());
        var there = new Bus(MEMBERS.getLast());
        onOneLoop(MEMBERS.getFirst(), () -> {
            var ready = new ArrayList<Future<?>>();
            ready.add(here.serve(CALL, said -> {
                heard.add("call " + said.number);
                return Future.succeededFuture(said);
            }));
            for (int i = 1; i <= 20; i++) {
                ready.add(here.listen(hint(i), said -> heard.add("hint " + said.number))
                        .completion());
            }
            return Future.all(ready);
        });
        there.call(CALL, new Said(0)).await(); // known from now on; the hints' addresses are not

        // When
        onOneLoop(MEMBERS.getLast(), () -> {
            Future<?> all = Future.succeededFuture();
            for (int i = 1; i <= 20; i++) {
                int number = i;
                all = all.compose(before -> there.publishAhead(hint(number), new Said(number)))
                        .compose(ahead -> there.call(CALL, new Said(number)));
            }
            return all;
        });

        // Then
        assertThat(heard).hasSize(41);
        for (int i = 1; i <= 20; i++) {
            assertThat(heard).containsSubsequence("hint " + i, "call " + i);
        }
    }

    @Test
    void a_hint_that_nobody_hears_is_no_failure() {
        assertThat(new Bus(MEMBERS.getFirst())
                        .publishAhead(hint(0), new Said(0))
                        .await())
                .isNull();
    }

    private static Hint<Said> hint(int number) {
        return new Hint<>("order.hint." + number, Said.class);
    }

    private static void onOneLoop(Vertx member, Supplier<Future<?>> work) {
        var done = Promise.<Void>promise();
        member.getOrCreateContext()
                .runOnContext(turn -> work.get().<Void>mapEmpty().onComplete(done));
        done.future().await();
    }
}
