package ai.molecule.provisioner.plugins;

import ai.molecule.common.ApiError;
import io.vertx.core.Future;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * Changes of one workspace's plugin follow each other; whoever asks for the same as the last one under way gets its outcome: the
 * digest of what is there then, nothing after it was taken out.
 */
final class OneAtATime {

    private static final int UNDER_WAY_MAX = 100;

    record Key(UUID workspaceId, PluginName plugin) {}

    private record Change(Object what, Future<String> outcome) {}

    private final Map<Key, Change> last = new HashMap<>();
    private int underWay;

    /** Fails with RATE_LIMITED when too many are under way or wait. */
    synchronized Future<String> run(Key key, Object what, Supplier<Future<String>> work) {
        var before = last.get(key);
        if (before != null && before.what.equals(what)) {
            return before.outcome;
        }
        if (underWay >= UNDER_WAY_MAX) {
            return Future.failedFuture(new ApiError(
                    ApiError.Kind.RATE_LIMITED,
                    "too many plugins are being installed — retry shortly",
                    Map.of("retry_after", 5)));
        }
        underWay++;
        Future<?> ready = before == null ? Future.succeededFuture() : before.outcome.otherwiseEmpty();
        var change = new Change(what, ready.compose(now -> work.get()));
        last.put(key, change);
        change.outcome.onComplete(done -> over(key, change));
        return change.outcome;
    }

    private synchronized void over(Key key, Change change) {
        underWay--;
        last.remove(key, change);
    }
}
