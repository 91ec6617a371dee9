package ai.molecule.provisioner.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Who runs, who waits, and who shares a run. */
class SingleFlightTest {

    private final List<Promise<Void>> begun = new ArrayList<>();
    private final SingleFlight<Void> flights = new SingleFlight<>(2, workspaceId -> {
        Promise<Void> work = Promise.promise();
        begun.add(work);
        return work.future();
    });

    @Test
    void asking_during_a_run_gets_one_more_run_shared_by_all_who_asked() {
        var workspace = UUID.randomUUID();
        var first = flights.run(workspace);
        var second = flights.run(workspace);
        var third = flights.run(workspace);

        begun.get(0).complete();

        assertThat(first.isComplete()).isTrue();
        assertThat(second.isComplete()).isFalse();
        assertThat(begun).hasSize(2);
        begun.get(1).complete();
        assertThat(second.succeeded() && third.succeeded()).isTrue();
    }

    @Test
    void no_more_than_the_bound_run_at_once_and_a_failed_run_makes_room() {
        flights.run(UUID.randomUUID());
        flights.run(UUID.randomUUID());
        var waiting = flights.run(UUID.randomUUID());
        assertThat(begun).hasSize(2);

        begun.get(0).fail("away");

        assertThat(begun).hasSize(3);
        begun.get(2).complete();
        assertThat(waiting.succeeded()).isTrue();
    }

    @Test
    void closing_waits_for_what_runs_and_begins_nothing_more() {
        var workspace = UUID.randomUUID();
        flights.run(workspace);
        flights.run(workspace);

        var closed = flights.close();
        assertThat(closed.isComplete()).isFalse();
        begun.get(0).complete();

        assertThat(closed.succeeded()).isTrue();
        flights.run(UUID.randomUUID());
        assertThat(begun).hasSize(1);
    }
}
