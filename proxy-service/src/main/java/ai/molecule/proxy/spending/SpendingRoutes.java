package ai.molecule.proxy.spending;

import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import io.vertx.ext.web.RoutingContext;

/** {@code /settings/spending}. Both answer {@code {"run_limit", "day_cap"}}, in US dollars; null for no limit. */
public record SpendingRoutes(PgSpending store) {

    public void show(RoutingContext ctx) {
        Answers.json(ctx, store.find().map(SpendingLimits::toJson));
    }

    /** What is not named stays. 400 for what is no amount, which changes nothing. */
    public void change(RoutingContext ctx) {
        var body = JsonBody.of(ctx, "the request body must be a JSON object");
        Answers.json(ctx, store.change(before -> before.changedBy(body)).map(SpendingLimits::toJson));
    }
}
