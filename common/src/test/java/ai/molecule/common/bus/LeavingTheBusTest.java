package ai.molecule.common.bus;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.cluster.Members;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A member that leaves the cluster fails no call: those it has are answered, the others go elsewhere. */
class LeavingTheBusTest {

    private record Ask(int number) {}

    private record Told(String by) {}

    /** Long: a machine that is busy may take seconds to connect, and a call that was lost waits for all of it. */
    private static final Contract<Ask, Told> CONTRACT =
            new Contract<>("test.ask", Ask.class, Told.class, Duration.ofSeconds(20));

    private static final Duration FINISH = Duration.ofSeconds(10);

    @Test
    void calls_under_way_are_answered_and_later_ones_go_to_the_others() {
        try (var members = new Members()) {
            var leaving = new Bus(members.join("acme", null));
            var staying = new Bus(members.join("acme", null));
            var caller = new Bus(members.join("acme", null));
            var reached = new CompletableFuture<Boolean>();
            Promise<Told> slow = Promise.promise();
            leaving.serve(CONTRACT, ask -> {
                        reached.complete(true);
                        return slow.future();
                    })
                    .await();
            var underWay = caller.call(CONTRACT, new Ask(0));
            reached.join();
            staying.serve(CONTRACT, ask -> Future.succeededFuture(new Told("staying")))
                    .await();

            var finishing = leaving.finish(FINISH);
            assertThat(finishing.isComplete()).isFalse();
            slow.complete(new Told("leaving"));
            finishing.await();

            assertThat(underWay.await()).isEqualTo(new Told("leaving"));
        }
    }

    @Test
    void none_of_many_is_lost_while_it_leaves() {
        try (var members = new Members()) {
            Vertx one = members.join("acme", null);
            var leaving = new Bus(one);
            var staying = new Bus(members.join("acme", null));
            var caller = new Bus(members.join("acme", null));
            for (var bus : List.of(leaving, staying)) {
                bus.serve(CONTRACT, ask -> Future.succeededFuture(new Told(bus == leaving ? "leaving" : "staying")))
                        .await();
            }
            var gone = new AtomicBoolean();
            List<Future<Told>> calls = new ArrayList<>();
            leaving.finish(FINISH).eventually(one::close).onComplete(done -> gone.set(true));

            while (!gone.get()) {
                calls.add(caller.call(CONTRACT, new Ask(calls.size())));
                calls.getLast().await();
            }

            assertThat(calls).isNotEmpty().allMatch(Future::succeeded);
            assertThat(caller.call(CONTRACT, new Ask(0)).await()).isEqualTo(new Told("staying"));
        }
    }
}
