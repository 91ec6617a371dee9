package ai.molecule.events.history;

import ai.molecule.common.ApiError;
import ai.molecule.common.http.Answers;
import io.vertx.ext.web.RoutingContext;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;

/** {@code GET /org?at=<RFC3339>}: the org chart of that moment. */
public record HistoryRoutes(HistoryService history) {

    /** 400 for no time or one to come, 410 for one before what is kept. */
    public void at(RoutingContext ctx) {
        Answers.json(ctx, history.at(momentOf(ctx.request().getParam("at"))));
    }

    private static @Nullable Instant momentOf(@Nullable String text) {
        if (text == null || text.isEmpty()) {
            return null;
        }
        try {
            return OffsetDateTime.parse(text.replace(' ', '+'))
                    .toInstant(); // a plus that was not encoded arrives as a blank
        } catch (DateTimeException malformed) {
            throw ApiError.invalid("at must be an RFC3339 time");
        }
    }
}
