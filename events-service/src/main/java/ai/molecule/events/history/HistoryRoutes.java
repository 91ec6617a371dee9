package ai.molecule.events.history;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.directory.OrgChart;
import ai.molecule.common.directory.OrgChartCache;
import ai.molecule.common.http.Answers;
import io.vertx.ext.web.RoutingContext;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** {@code GET /org?at=<RFC3339>}: the org chart of that moment. */
public record HistoryRoutes(HistoryService history, OrgChartCache charts) {

    /** 400 for no time or one to come, 410 for one before what is kept. People of branches are shown what was in them then. */
    public void at(RoutingContext ctx) {
        var moment = momentOf(ctx.request().getParam("at"));
        var caller = Caller.of(ctx);
        Answers.json(
                ctx,
                charts.shownTo(caller)
                        .compose(shown -> shown.isEmpty()
                                ? history.at(moment, past -> true)
                                : charts.current().compose(now -> history.at(moment, seenBy(caller, now)))));
    }

    /** What was in one of its branches then, and is not in another today. */
    private static Predicate<PastOrg.Place> seenBy(Caller caller, OrgChart now) {
        var branches = Set.copyOf(Objects.requireNonNull(caller.person()).branches());
        return place ->
                place.isWithin(branches) && (now.find(place.id()).isEmpty() || now.isWithin(place.id(), branches));
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
