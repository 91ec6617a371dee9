package ai.molecule.provisioner.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Who waits for whom when starts hang. */
class LanesTest {

    private final List<Promise<Void>> begun = new ArrayList<>();
    private final Set<UUID> due = new HashSet<>();
    private final List<UUID> looked = new ArrayList<>();
    private final Lanes lanes = new Lanes(
            2,
            id -> {
                looked.add(id);
                return Future.succeededFuture(due.contains(id));
            },
            2,
            id -> {
                Promise<Void> start = Promise.promise();
                begun.add(start);
                return start.future();
            });

    @Test
    void an_end_waits_for_no_start_of_others() {
        for (int i = 0; i < 5; i++) {
            lanes.run(starting());
        }
        assertThat(begun).hasSize(2);

        assertThat(lanes.run(UUID.randomUUID()).succeeded()).isTrue();
    }

    @Test
    void nor_for_its_own_that_has_not_begun() {
        lanes.run(starting());
        lanes.run(starting());
        var waiting = starting();
        lanes.run(waiting);

        due.remove(waiting); // paused meanwhile

        assertThat(lanes.run(waiting).succeeded()).isTrue();
        assertThat(begun).hasSize(2);
    }

    @Test
    void whoever_asks_during_a_start_gets_a_look_after_it() {
        var id = starting();
        var started = lanes.run(id);
        due.remove(id);
        var after = lanes.run(id);
        assertThat(looked).hasSize(1);

        begun.getFirst().fail("not possible");

        assertThat(started.failed()).isTrue();
        assertThat(after.succeeded()).isTrue();
        assertThat(looked).containsExactly(id, id);
    }

    /** Then the look finds the workspace locked by that start and can do nothing. */
    @Test
    void so_does_whoever_asked_just_before_another_had_it_started() {
        var id = UUID.randomUUID();
        Promise<Boolean> look = Promise.promise();
        var first = new AtomicBoolean(true);
        var racing = new Lanes(
                2, looked -> first.getAndSet(false) ? look.future() : Future.succeededFuture(false), 2, started -> {
                    Promise<Void> start = Promise.promise();
                    begun.add(start);
                    return start.future();
                });
        racing.look(id);
        var asked = racing.run(id);
        look.complete(true);
        assertThat(asked.isComplete()).isFalse();

        begun.getFirst().complete();

        assertThat(asked.succeeded()).isTrue();
    }

    @Test
    void a_sweep_waits_for_no_start_at_all() {
        var id = starting();

        assertThat(lanes.look(id).succeeded()).isTrue();
        assertThat(begun).hasSize(1);
        assertThat(lanes.look(id).succeeded()).isTrue();
        assertThat(begun).hasSize(1);
        assertThat(looked).hasSize(1);
    }

    @Test
    void closing_waits_for_both_lanes() {
        lanes.run(starting());

        var closed = lanes.close();
        assertThat(closed.isComplete()).isFalse();
        begun.getFirst().complete();

        assertThat(closed.succeeded()).isTrue();
    }

    private UUID starting() {
        var id = UUID.randomUUID();
        due.add(id);
        return id;
    }
}
