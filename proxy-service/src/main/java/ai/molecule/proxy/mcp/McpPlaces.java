package ai.molecule.proxy.mcp;

import ai.molecule.common.ApiError;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

/** How many requests may be under way at once, and how many of one workspace, so that none takes all. Any thread may take and leave. */
final class McpPlaces {

    private final int most;
    private final int mostOfOne;
    private final Map<UUID, Integer> taken = new HashMap<>();
    private int inAll;

    McpPlaces(int most, int mostOfOne) {
        this.most = most;
        this.mostOfOne = mostOfOne;
    }

    /** Why there is none, UNAVAILABLE or RATE_LIMITED; empty where it was taken, which is to be left again. */
    synchronized Optional<ApiError> take(UUID workspace) {
        if (inAll >= most) {
            return Optional.of(busy(ApiError.Kind.UNAVAILABLE, most));
        }
        if (taken.getOrDefault(workspace, 0) >= mostOfOne) {
            return Optional.of(busy(ApiError.Kind.RATE_LIMITED, mostOfOne));
        }
        inAll++;
        taken.merge(workspace, 1, Integer::sum);
        return Optional.empty();
    }

    /** What {@code work} makes of a place that was taken, which is left when it fails. */
    <T> T orLeave(UUID workspace, Supplier<T> work) {
        try {
            return work.get();
        } catch (RuntimeException failed) {
            leave(workspace);
            throw failed;
        }
    }

    synchronized void leave(UUID workspace) {
        inAll--;
        taken.computeIfPresent(workspace, (id, places) -> places == 1 ? null : places - 1);
    }

    private static ApiError busy(ApiError.Kind kind, int most) {
        return new ApiError(kind, most + " requests are being answered", Map.of("retry_after", 1));
    }
}
