package ai.molecule.events.hub;

import ai.molecule.common.events.Event;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Subscribers that said what they look at: what is in their {@link View} as it happens, the rest in a {@link Digest} that those with the
 * same interval share. A replay is told whole, view or not; digests begin when it is over. To be used on one event loop.
 */
final class Viewers {

    private final Vertx vertx;
    private final LongSupplier position;
    private final Map<Subscriber, View> views = new HashMap<>();
    private final Map<Duration, Round> rounds = new HashMap<>();

    /** Those who get the same digests. */
    private record Round(Digest digest, SubscriberSet viewers, long timer) {}

    /** @param position of the last recorded event that was offered */
    Viewers(Vertx vertx, LongSupplier position) {
        this.vertx = vertx;
        this.position = position;
    }

    boolean isEmpty() {
        return views.isEmpty();
    }

    /** From now on; what waits in a digest it leaves is told first. */
    void look(Subscriber subscriber, View view) {
        var before = views.get(subscriber);
        if (before == null || !before.every().equals(view.every())) {
            leave(subscriber);
            rounds.computeIfAbsent(view.every(), this::begin).viewers().add(subscriber);
        }
        views.put(subscriber, view);
    }

    /** It hears everything, or nothing any more. */
    void leave(Subscriber subscriber) {
        var before = views.remove(subscriber);
        if (before == null) {
            return;
        }
        var round = rounds.get(before.every());
        if (round == null) {
            return;
        }
        if (!subscriber.closed()) {
            tell(round);
        }
        round.viewers().remove(subscriber);
        if (round.viewers().isEmpty()) {
            vertx.cancelTimer(round.timer());
            rounds.remove(before.every());
        }
    }

    void offer(Parcel parcel) {
        if (views.isEmpty()) {
            return;
        }
        rounds.values()
                .forEach(
                        round -> parcel.frames().forEach(frame -> round.digest().add(frame.event())));
        Map<List<Frame>, Parcel> parts = new HashMap<>(); // of those who look at the same, or at none of them
        views.forEach((subscriber, view) -> {
            var shown = parcel.frames().stream().filter(view::shows).toList();
            if (!shown.isEmpty()) {
                subscriber.offer(
                        shown.size() == parcel.frames().size() ? parcel : parts.computeIfAbsent(shown, Parcel::shared));
            }
            if (parcel.isRecorded()) {
                subscriber.passed(parcel.lastSeq());
            }
        });
        parts.values().forEach(Parcel::release);
        rounds.values().stream().filter(round -> round.digest().isFull()).forEach(this::tell);
    }

    private Round begin(Duration every) {
        return new Round(new Digest(), new SubscriberSet(), vertx.setPeriodic(every.toMillis(), timer -> {
            var round = rounds.get(every);
            if (round != null) {
                tell(round);
            }
        }));
    }

    private void tell(Round round) {
        if (round.digest().isEmpty()) {
            return;
        }
        Event told = round.digest().take(position.getAsLong(), Instant.now());
        var parcel = Parcel.shared(List.of(new Frame(told)));
        round.viewers().forEach(viewer -> {
            if (!viewer.replaying()) {
                viewer.offer(parcel);
            }
        });
        parcel.release();
    }
}
