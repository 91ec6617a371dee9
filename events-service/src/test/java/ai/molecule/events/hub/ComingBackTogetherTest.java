package ai.molecule.events.hub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.directory.OrgChartCache;
import ai.molecule.common.reconcilers.Reconcilers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Many subscribers that replay at the same time. */
@ExtendWith(VertxExtension.class)
class ComingBackTogetherTest {

    private static final int LAST = 1_000;

    private final ScriptedLog log = new ScriptedLog(LAST);

    @SuppressWarnings("NullAway.Init")
    private Vertx vertx;

    @SuppressWarnings("NullAway.Init")
    private Hub hub;

    @BeforeEach
    void start(Vertx vertx) {
        this.vertx = vertx;
        hub = new Hub(
                vertx,
                log,
                new OrgChartCache(new Bus(vertx)),
                new Reconcilers(Clock.systemUTC()).add("agent-delivery", "shows events"));
        hub.startAt(LAST);
    }

    @Test
    void the_log_is_read_once_for_all_of_them_and_each_gets_what_it_missed() {
        List<Heard> all = join(LongStream.range(0, LAST).boxed().toList());

        await().until(() -> all.stream().allMatch(heard -> heard.upTo() == LAST));

        assertThat(all).allSatisfy(heard -> assertThat(heard.positions).isEqualTo(from(heard.since + 1, LAST)));
        assertThat(log.reads).hasSize(4); // pages of 256
    }

    @Test
    void who_comes_a_little_later_shares_what_was_read_before() {
        var early = join(List.of(0L));
        await().until(() -> early.getFirst().upTo() == LAST);
        int before = log.reads.size();

        var late = join(List.of(0L, 500L, 999L));

        await().until(() -> late.stream().allMatch(heard -> heard.upTo() == LAST));
        assertThat(log.reads).hasSize(before);
    }

    @Test
    void what_happens_meanwhile_is_neither_missed_nor_repeated() {
        var returning = join(List.of(0L, 10L, 990L));
        for (long seq = LAST + 1; seq <= LAST + 300; seq++) {
            long next = seq;
            log.last = next;
            onLoop(() -> hub.publish(List.of(ScriptedLog.row(next))));
        }
        var late = join(List.of(500L));
        returning.addAll(late);

        await().until(() -> returning.stream().allMatch(heard -> heard.upTo() == LAST + 300));

        assertThat(returning)
                .allSatisfy(heard -> assertThat(heard.positions).isEqualTo(from(heard.since + 1, LAST + 300)));
    }

    @Test
    void what_is_kept_no_more_is_told_to_each_of_them_once() {
        log.pruned = 600;

        var all = join(List.of(0L, 599L, 600L));

        await().until(() -> all.stream().allMatch(heard -> heard.upTo() == LAST));
        assertThat(all)
                .extracting(heard -> heard.gaps)
                .containsExactly(List.of("1-600"), List.of("600-600"), List.of());
        assertThat(all).allSatisfy(heard -> assertThat(heard.positions).isEqualTo(from(601, LAST)));
    }

    private List<Heard> join(List<Long> positions) {
        List<Heard> all = new ArrayList<>();
        onLoop(() -> positions.forEach(since -> {
            var heard = new Heard(since);
            hub.join(new Audience.Everything(), heard, since);
            all.add(heard);
        }));
        return all;
    }

    /** The hub belongs to one event loop. */
    private void onLoop(Runnable work) {
        if (loop == null) {
            loop = vertx.getOrCreateContext();
        }
        var done = new java.util.concurrent.CompletableFuture<Void>();
        loop.runOnContext(turn -> {
            work.run();
            done.complete(null);
        });
        done.orTimeout(60, TimeUnit.SECONDS).join();
    }

    private io.vertx.core.@Nullable Context loop;

    private static List<Long> from(long first, long last) {
        return LongStream.rangeClosed(first, last).boxed().toList();
    }

    /** Keeps what it is sent. */
    private static final class Heard implements Outlet {
        final long since;
        final List<Long> positions = new CopyOnWriteArrayList<>();
        final List<String> gaps = new CopyOnWriteArrayList<>();

        Heard(long since) {
            this.since = since;
        }

        long upTo() {
            return positions.isEmpty() ? since : positions.getLast();
        }

        @Override
        public boolean full() {
            return false;
        }

        @Override
        public Future<Void> write(Parcel parcel) {
            List<Long> recorded = new ArrayList<>();
            for (var frame : parcel.frames()) {
                if (frame.event().seq() == null) {
                    var payload = frame.event().payload();
                    gaps.add(payload.get("from").asLong() + "-"
                            + payload.get("to").asLong());
                } else {
                    recorded.add(frame.seq());
                }
            }
            positions.addAll(recorded);
            return Future.succeededFuture();
        }

        @Override
        public Future<Void> close(CloseReason why) {
            return Future.succeededFuture();
        }
    }
}
