package ai.molecule.common.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What {@link BriefCache} shares, and when it asks again. */
class RememberingBrieflyTest {

    private static final Duration AGE_MAX = Duration.ofSeconds(2);

    private final List<Promise<String>> reads = new ArrayList<>();
    private long nanos;
    private final BriefCache<String, String> cache = new BriefCache<>(
            AGE_MAX, 3, 80, String::length, (key, answer) -> List.of(key.substring(0, 1), answer), () -> nanos);

    @Test
    void who_asks_while_a_read_is_under_way_shares_it_and_so_does_who_asks_soon_after() {
        var first = ask("a");
        var second = ask("a");
        assertThat(cache.find("a")).isNull();

        reads.getFirst().complete("one");

        assertThat(first.result()).isEqualTo("one");
        assertThat(second.result()).isEqualTo("one");
        assertThat(ask("a").result()).isEqualTo("one");
        assertThat(cache.find("a")).isEqualTo("one");
        assertThat(reads).hasSize(1);
    }

    @Test
    void a_read_that_began_before_a_change_is_not_what_who_asks_afterwards_gets() {
        var before = ask("a");
        cache.drop("a");
        var after = ask("a");

        reads.get(1).complete("new");
        reads.get(0).complete("old");

        assertThat(before.result()).isEqualTo("old");
        assertThat(after.result()).isEqualTo("new");
        assertThat(ask("a").result()).isEqualTo("new");
    }

    @Test
    void a_read_that_began_before_everything_was_forgotten_does_not_come_back_either() {
        ask("a");
        cache.clear();
        reads.getFirst().complete("old");

        assertThat(cache.find("a")).isNull();
        assertThat(ask("a").isComplete()).isFalse();
    }

    @Test
    void an_old_answer_is_read_anew_and_its_age_counts_from_when_it_was_asked_for() {
        ask("a");
        nanos = AGE_MAX.toNanos() - 1;
        reads.getFirst().complete("old");
        assertThat(cache.find("a")).isEqualTo("old");

        nanos = AGE_MAX.toNanos();

        assertThat(cache.find("a")).isNull();
        assertThat(ask("a").isComplete()).isFalse();
    }

    @Test
    void an_answer_that_is_too_old_is_not_held_on_to_though_nobody_asks_for_it_again() {
        ask("a");
        reads.getFirst().complete("old");
        ask("b");
        reads.getLast().complete("young");
        assertThat(cache.size()).isEqualTo(2);

        nanos = AGE_MAX.toNanos();
        ask("c");
        reads.getLast().complete("new");

        assertThat(cache.size()).isEqualTo(1);
        assertThat(cache.find("c")).isEqualTo("new");
    }

    @Test
    void a_failure_is_not_remembered() {
        var first = ask("a");
        reads.getFirst().fail("away");

        assertThat(first.failed()).isTrue();
        assertThat(ask("a").isComplete()).isFalse();
    }

    @Test
    void it_forgets_rather_than_grow_past_its_bounds() {
        for (String key : List.of("a", "b", "c", "d")) {
            ask(key);
            reads.getLast().complete("x");
        }
        assertThat(List.of("a", "b", "c", "d"))
                .filteredOn(key -> cache.find(key) != null)
                .hasSizeBetween(1, 3);

        ask("heavy");
        reads.getLast().complete("more than an eighth");
        assertThat(cache.find("heavy")).isNull();
    }

    @Test
    void it_forgets_rather_than_hold_more_than_its_weight() {
        var small = new BriefCache<Integer, String>(
                AGE_MAX, 100, 80, String::length, (key, answer) -> List.of(), () -> nanos);
        for (int key = 0; key < 9; key++) {
            small.get(key, unknown -> Future.succeededFuture("ten chars!"));
        }

        assertThat(IntStream.range(0, 9).filter(key -> small.find(key) != null)).hasSizeBetween(1, 8);
    }

    @Test
    void what_is_about_something_that_changed_is_read_anew_and_nothing_else_is() {
        for (String key : List.of("ab", "ac", "bd")) {
            ask(key);
            reads.getLast().complete("about " + key);
        }

        cache.dropTagged("a");
        assertThat(cache.find("ab")).isNull();
        assertThat(cache.find("ac")).isNull();
        assertThat(cache.find("bd")).isEqualTo("about bd");

        cache.dropTagged("about bd");
        assertThat(ask("bd").isComplete()).isFalse();
        reads.getLast().complete("anew");
        assertThat(cache.find("bd")).isEqualTo("anew");
    }

    @Test
    void a_read_that_began_before_something_changed_is_not_shared_with_who_asks_afterwards() {
        var before = ask("ab");
        cache.dropTagged("x");
        var after = ask("ab");
        reads.get(0).complete("old");
        reads.get(1).complete("new");

        assertThat(before.result()).isEqualTo("old");
        assertThat(after.result()).isEqualTo("new");
        assertThat(cache.find("ab")).isEqualTo("new");
    }

    @Test
    void more_changes_than_it_can_tell_apart_are_a_change_of_everything() {
        ask("ab");
        reads.getLast().complete("old");

        for (String tag : List.of("1", "2", "3", "4")) {
            cache.dropTagged(tag);
        }

        assertThat(cache.find("ab")).isNull();
        nanos = AGE_MAX.toNanos();
        ask("ab");
        reads.getLast().complete("new");
        for (String tag : List.of("5", "6", "7")) {
            cache.dropTagged(tag);
        }
        assertThat(cache.find("ab")).isEqualTo("new");
    }

    private Future<String> ask(String key) {
        return cache.get(key, unknown -> {
            reads.add(Promise.promise());
            return reads.getLast().future();
        });
    }
}
