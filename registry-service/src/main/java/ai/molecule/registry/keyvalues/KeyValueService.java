package ai.molecule.registry.keyvalues;

import ai.molecule.common.ApiError;
import ai.molecule.registry.keyvalues.PgKeyValueStore.Outcome;
import com.fasterxml.jackson.databind.node.NullNode;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The rules about keys and their values. */
public record KeyValueService(PgKeyValueStore store, Clock clock) {

    private static final int PAGE_MAX = 1000;

    /** Well above the 1 MiB that one body may hold, so that a page is never empty for its first value. */
    private static final int PAGE_BYTES_MAX = 8 * 1024 * 1024;

    private static final int ATTEMPTS_MAX = 3;

    /** Until then a guarded write still meets the version of an expired key. */
    private static final Duration VERSION_KEPT_FOR = Duration.ofDays(1);

    private static final int SWEPT_MAX = 5000;

    /** In key order; at most 1000 keys and 8 MiB of values, the rest after the last of them. */
    Future<List<KeyValue>> list(UUID workspaceId, String after) {
        return store.list(workspaceId, after, PAGE_MAX, PAGE_BYTES_MAX, clock.instant());
    }

    Future<KeyValue> get(UUID workspaceId, String key) {
        return store.find(workspaceId, key, clock.instant())
                .map(found -> found.orElseThrow(() -> ApiError.notFound("key not found")));
    }

    /** The new version; fails with CONFLICT and the current one when the expected one is not it. */
    Future<Long> put(UUID workspaceId, KeyWrite write) {
        return put(workspaceId, write, 1);
    }

    Future<Void> delete(UUID workspaceId, String key) {
        return store.delete(workspaceId, key);
    }

    /** Forgets keys a day after they expired; bounded per run. */
    public Future<Integer> sweep() {
        return store.deleteExpired(clock.instant().minus(VERSION_KEPT_FOR), SWEPT_MAX);
    }

    private Future<Long> put(UUID workspaceId, KeyWrite write, int attempt) {
        return store.put(workspaceId, write, clock.instant()).compose(outcome -> {
            Long version = outcome.version();
            if (outcome.written() && version != null) {
                return Future.succeededFuture(version);
            }
            // changed back between the write and the look at why it failed: a conflict with itself would explain
            // nothing
            boolean fitsNow = matches(write.expectedVersion(), version);
            return fitsNow && attempt < ATTEMPTS_MAX
                    ? put(workspaceId, write, attempt + 1)
                    : Future.failedFuture(conflict(write, outcome));
        });
    }

    private static boolean matches(@Nullable Long expected, @Nullable Long current) {
        return expected == null || expected.equals(current == null ? Long.valueOf(0) : current);
    }

    private static ApiError conflict(KeyWrite write, Outcome outcome) {
        Long current = outcome.version();
        Long expected = write.expectedVersion();
        return new ApiError(
                ApiError.Kind.CONFLICT,
                current == null ? "if_match_version mismatch: key does not exist" : "if_match_version mismatch",
                Map.of(
                        "expected_version", expected == null ? NullNode.getInstance() : expected,
                        "current_version", current == null ? NullNode.getInstance() : current));
    }
}
