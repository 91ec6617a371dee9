package ai.molecule.proxy.models;

import ai.molecule.common.ApiError;
import ai.molecule.common.models.Provider;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The places at one provider with one key: so many calls at a time, of this proxy, and so many requests and tokens a minute, of all. When
 * there is none, calls wait in turns that are fair between agents, a bounded number for a bounded time. To be used on one event loop.
 */
final class ProviderPlaces {

    private static final Logger LOGGER = LoggerFactory.getLogger(ProviderPlaces.class);

    /** Calls that one statement asks for. */
    private static final int ASKED_MAX = 32;

    private static final long REST_MIN_MILLIS = 10;
    private static final long REST_MAX_MILLIS = 1_000;

    /** A place that is had until it is given back, once. */
    interface Place {

        /** @param tokens what the call came to, without those read from a cache */
        void leave(long tokens);

        /** Nothing left. */
        void unused();
    }

    /** One that waits for a place. */
    final class Waiting {
        private final UUID workspaceId;
        private final long tokens;
        private final Promise<Place> place = Promise.promise();
        private final FairQueue.Turn<Waiting> turn;
        private final long timer;
        private boolean over;

        private Waiting(UUID workspaceId, long tokens) {
            this.workspaceId = workspaceId;
            this.tokens = tokens;
            this.turn = queue.add(workspaceId, cost(1, tokens), this);
            this.timer = vertx.setTimer(
                    Math.max(1, limits.patience().toMillis()), late -> give(Future.failedFuture(noPlace())));
        }

        /** Fails with RATE_LIMITED when there was none in time. */
        Future<Place> place() {
            return place.future();
        }

        /** The caller left, or the proxy ends. */
        void abandon() {
            give(Future.failedFuture(ApiError.unavailable("the platform restarts: try again")));
        }

        private void give(Future<Place> outcome) {
            if (!over) {
                over = true;
                vertx.cancelTimer(timer);
                queue.remove(turn);
                place.handle(outcome);
            }
        }
    }

    private final Vertx vertx;
    private final Provider provider;
    private final UUID owner;
    private final ModelLimits limits;
    private final PgProviderPaces paces;
    private final Runnable idle;
    private final FairQueue<Waiting> queue = new FairQueue<>();
    private int calls;
    private long owed;
    private long unused;
    private boolean asking;
    private long rest = -1;
    private Duration nextIn = Duration.ZERO;

    /**
     * @param owner whose key it is
     * @param idle told when nobody has a place or waits for one
     */
    ProviderPlaces(
            Vertx vertx, Provider provider, UUID owner, ModelLimits limits, PgProviderPaces paces, Runnable idle) {
        this.vertx = vertx;
        this.provider = provider;
        this.owner = owner;
        this.limits = limits;
        this.paces = paces;
        this.idle = idle;
    }

    /** Throws RATE_LIMITED when too many wait already. */
    Waiting enter(UUID workspaceId, long tokens) {
        if (queue.size() >= limits.waitingMax()) {
            var evicted = queue.evictFor(workspaceId);
            if (evicted == null) {
                throw noPlace();
            }
            evicted.item().give(Future.failedFuture(noPlace()));
        }
        var waiting = new Waiting(workspaceId, tokens);
        next();
        return waiting;
    }

    int waiting() {
        return queue.size();
    }

    private void next() {
        if (asking || rest >= 0) {
            return;
        }
        List<FairQueue.Turn<Waiting>> turns = new ArrayList<>();
        while (turns.size() < ASKED_MAX && calls + turns.size() < provider.parallelMax()) {
            var turn = queue.take();
            if (turn == null) {
                break;
            }
            turns.add(turn);
        }
        if (!provider.pace().isBounded()) {
            turns.forEach(this::admit);
            if (!turns.isEmpty()) {
                next();
            } else {
                tellIdle();
            }
        } else if (turns.isEmpty() && owed == 0 && unused == 0) {
            tellIdle();
        } else {
            ask(turns);
        }
    }

    private void ask(List<FairQueue.Turn<Waiting>> turns) {
        asking = true;
        long owedNow = owed;
        long unusedNow = unused;
        owed = 0;
        unused = 0;
        paces.pace(
                        provider,
                        owner,
                        owedNow,
                        unusedNow,
                        turns.stream().map(turn -> turn.item().tokens).toList())
                .onComplete(answer -> {
                    asking = false;
                    if (answer.failed()) {
                        LOGGER.atWarn()
                                .setCause(answer.cause())
                                .addKeyValue("provider", provider.name())
                                .log("requests a minute are not counted: only the provider holds them back now");
                    }
                    int letGo = answer.succeeded() ? answer.result().letGo() : turns.size();
                    nextIn = answer.succeeded() ? answer.result().pause() : Duration.ZERO;
                    for (int i = turns.size() - 1; i >= letGo; i--) {
                        if (!turns.get(i).item().over) {
                            queue.putBack(turns.get(i));
                        }
                    }
                    turns.subList(0, letGo).forEach(this::admit);
                    if (letGo < turns.size()) {
                        rest = vertx.setTimer(Math.clamp(nextIn.toMillis(), REST_MIN_MILLIS, REST_MAX_MILLIS), over -> {
                            rest = -1;
                            next();
                        });
                    } else {
                        next();
                    }
                });
    }

    private void admit(FairQueue.Turn<Waiting> turn) {
        var waiting = turn.item();
        queue.served(turn);
        calls++;
        var place = new OnePlace(waiting.workspaceId, waiting.tokens);
        if (waiting.over) {
            place.unused();
        } else {
            waiting.give(Future.succeededFuture(place));
        }
    }

    private final class OnePlace implements Place {
        private final UUID workspaceId;
        private final long foreseen;
        private boolean had = true;

        private OnePlace(UUID workspaceId, long foreseen) {
            this.workspaceId = workspaceId;
            this.foreseen = foreseen;
        }

        @Override
        public void leave(long tokens) {
            end(tokens - foreseen, 0);
        }

        @Override
        public void unused() {
            end(-foreseen, 1);
        }

        private void end(long more, int back) {
            if (!had) {
                return;
            }
            had = false;
            calls--;
            if (provider.pace().isBounded()) {
                owed += provider.pace().tokens() == null ? 0 : more;
                unused += back;
            }
            queue.charge(workspaceId, cost(-back, more));
            next();
        }
    }

    /** In minutes of what the provider takes; of one that is not bounded in that, in calls. */
    private double cost(int requests, long tokens) {
        Long requestsMax = provider.pace().requests();
        Long tokensMax = provider.pace().tokens();
        if (requestsMax == null && tokensMax == null) {
            return requests;
        }
        return (requestsMax == null ? 0 : (double) requests / requestsMax)
                + (tokensMax == null ? 0 : (double) tokens / tokensMax);
    }

    private void tellIdle() {
        if (calls == 0 && queue.size() == 0 && !asking && rest < 0) {
            idle.run();
        }
    }

    private ApiError noPlace() {
        long seconds = Math.max(1, nextIn.plusMillis(999).toSeconds());
        return new ApiError(
                ApiError.Kind.RATE_LIMITED,
                calls >= provider.parallelMax()
                        ? "provider %s has %d calls under way, as many as its parallel_max allows, and others wait: try again"
                                .formatted(provider.name(), calls)
                        : "provider %s takes no more requests or tokens a minute (requests_per_minute, tokens_per_minute), and others wait: try again"
                                .formatted(provider.name()),
                Map.of("retry_after", seconds));
    }
}
