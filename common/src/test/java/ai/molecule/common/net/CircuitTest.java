package ai.molecule.common.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A neighbour that fails, hangs and comes back. */
class CircuitTest {

    private static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private long now;
    private final Circuit circuit =
            new Circuit("away", Duration.ofMillis(500), failure -> !(failure instanceof Refused), () -> now);
    private final List<Promise<String>> calls = new ArrayList<>();

    @Test
    void while_one_probe_is_under_way_all_others_fail_at_once() {
        fail(call());
        assertThat(refused()).isTrue();
        pass(500);

        var probe = call();
        assertThat(calls).hasSize(2);
        for (int i = 0; i < 100; i++) {
            assertThat(refused()).isTrue();
        }

        fail(probe);
        assertThat(refused()).isTrue();
        pass(500);
        calls.clear();
        var second = call();
        calls.getLast().complete("back");
        assertThat(second.result()).isEqualTo("back");
        assertThat(circuit.isOpen()).isFalse();
        assertThat(refused()).isFalse();
    }

    @Test
    void calls_from_before_the_loss_neither_prolong_it_nor_count_against_the_probe() {
        call();
        call();
        calls.get(0).fail("timed out");
        pass(400);
        calls.get(1).fail("timed out too");
        pass(100);

        call();
        assertThat(calls).hasSize(3);
    }

    @Test
    void an_error_in_the_neighbours_own_words_is_an_answer() {
        call();
        calls.getLast().fail(new Refused());
        assertThat(circuit.isOpen()).isFalse();

        fail(call());
        pass(500);
        call();
        calls.getLast().fail(new Refused());
        assertThat(circuit.isOpen()).isFalse();
    }

    @Test
    void a_probe_that_never_ends_is_not_the_last() {
        fail(call());
        pass(500);
        call();
        pass(6_000);

        call();
        assertThat(calls).hasSize(3);
    }

    private Future<String> call() {
        return circuit.call(() -> {
            Promise<String> call = Promise.promise();
            calls.add(call);
            return call.future();
        });
    }

    private boolean refused() {
        int before = calls.size();
        var outcome = call();
        return calls.size() == before && outcome.failed();
    }

    private void fail(Future<String> unused) {
        calls.getLast().fail("connection refused");
    }

    private void pass(long millis) {
        now += Duration.ofMillis(millis).toNanos();
    }
}
