package ai.molecule.events.hub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.directory.OrgChartCache;
import ai.molecule.common.reconcilers.Reconcilers;
import ai.molecule.common.reconcilers.RunReport;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Reads of the log that are never answered, as when a connection's packets are dropped: the next one is asked all the same. */
@ExtendWith(VertxExtension.class)
class LogThatHangsTest {

    private static final Duration READ_MAX = Duration.ofMillis(300);

    private final ScriptedLog log = new ScriptedLog(10);
    private final Reconcilers reconcilers = new Reconcilers(Clock.systemUTC());
    private final RunReport report = reconcilers.add("log-tail", "shows events");

    @SuppressWarnings("NullAway.Init")
    private Context loop;

    @SuppressWarnings("NullAway.Init")
    private Hub hub;

    @BeforeEach
    void start(Vertx vertx) {
        loop = vertx.getOrCreateContext();
        var bus = new Bus(vertx);
        hub = new Hub(
                vertx, log, new OrgChartCache(bus), reconcilers.add("agent-delivery", "shows agents events"), READ_MAX);
        var meters = new TailMeters(new SimpleMeterRegistry(), Clock.systemUTC());
        onLoop(() -> new LogTail(vertx, log, hub, bus, report, meters, READ_MAX).start());
    }

    @Test
    void sockets_hear_what_happened_once_a_read_is_answered_again() {
        // Given
        var canvas = join(null);
        log.hanging = true;
        log.last = 12;
        await().until(() -> !report.status().ok()); // the report says that nothing is heard

        // When
        log.hanging = false;

        // Then
        await().until(() -> canvas.positions.equals(List.of(11L, 12L)));
        await().until(() -> report.status().ok());
    }

    @Test
    void who_wants_what_it_missed_is_sent_away_to_come_again() {
        log.hanging = true;

        var canvas = join(3L);

        await().until(() -> canvas.goodbyes.equals(List.of(CloseReason.TRY_AGAIN)));
        log.hanging = false;
        var again = join(3L);
        await().until(() -> again.positions.equals(List.of(4L, 5L, 6L, 7L, 8L, 9L, 10L)));
        assertThat(canvas.positions).isEmpty();
    }

    private Heard join(@Nullable Long since) {
        var heard = new Heard();
        onLoop(() -> hub.join(new Audience.Everything(), heard, since));
        return heard;
    }

    /** The hub belongs to one event loop. */
    private void onLoop(Runnable work) {
        var done = new CompletableFuture<Void>();
        loop.runOnContext(turn -> {
            work.run();
            done.complete(null);
        });
        done.orTimeout(60, TimeUnit.SECONDS).join();
    }

    private static final class Heard implements Outlet {
        final List<Long> positions = new CopyOnWriteArrayList<>();
        final List<CloseReason> goodbyes = new CopyOnWriteArrayList<>();

        @Override
        public boolean full() {
            return false;
        }

        @Override
        public Future<Void> write(Parcel parcel) {
            positions.addAll(
                    new ArrayList<>(parcel.frames().stream().map(Frame::seq).toList()));
            return Future.succeededFuture();
        }

        @Override
        public Future<Void> close(CloseReason why) {
            goodbyes.add(why);
            return Future.succeededFuture();
        }
    }
}
