package ai.molecule.proxy.queue;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.http.Answers;
import ai.molecule.common.json.Json;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** {@code /admin/a2a-queue/*}. */
public final class QueueRoutes {

    private static final int MINUTES_DEFAULT = 60;
    private static final String BAD_AGE = "max_age_minutes must be a positive integer";

    private final QueueService queue;

    public QueueRoutes(QueueService queue) {
        this.queue = queue;
    }

    /** {@code {"dropped":N}}; what is at its agent stays. */
    public void dropStale(RoutingContext ctx) {
        var age = age(ctx.request().getParam("max_age_minutes"));
        var target = target(ctx.request().getParam("workspace_id"));
        Answers.json(
                ctx, queue.dropStale(age, target).map(count -> Json.object().put("dropped", count)));
    }

    private static Duration age(@Nullable String minutes) {
        if (minutes == null || minutes.isEmpty()) {
            return Duration.ofMinutes(MINUTES_DEFAULT);
        }
        if (!minutes.matches("\\d{1,9}") || Integer.parseInt(minutes) == 0) {
            throw ApiError.invalid(BAD_AGE);
        }
        return Duration.ofMinutes(Integer.parseInt(minutes));
    }

    private static @Nullable UUID target(@Nullable String id) {
        return id == null || id.isEmpty()
                ? null
                : Ids.find(id).orElseThrow(() -> ApiError.invalid("workspace_id must be a valid UUID"));
    }
}
