package ai.molecule.proxy.models;

import ai.molecule.common.http.Answers;
import ai.molecule.common.json.Json;
import ai.molecule.proxy.models.PgUsageStore.Sum;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.ext.web.RoutingContext;
import java.time.Clock;
import java.util.List;

/** {@code GET /usage}: what models cost, added up. An unknown cost is null and counted apart, never nothing. */
public final class UsageRoutes {

    private static final int ROWS_MAX = 1_000;

    private final PgUsageStore store;
    private final Clock clock;

    UsageRoutes(PgUsageStore store, Clock clock) {
        this.store = store;
        this.clock = clock;
    }

    public void show(RoutingContext ctx) {
        var request = ctx.request();
        var question =
                UsageQuestion.of(request.getParam("by"), request.getParam("from"), request.getParam("to"), clock);
        Answers.json(ctx, store.sums(question, ROWS_MAX + 1).map(sums -> toJson(question, sums)));
    }

    private static ObjectNode toJson(UsageQuestion question, List<Sum> sums) {
        var body = Json.object()
                .put("by", question.by().wireName())
                .put("from", Json.time(question.from()))
                .put("to", Json.time(question.to()))
                .put("truncated", sums.size() > ROWS_MAX);
        var rows = body.putArray("rows");
        sums.stream()
                .limit(ROWS_MAX)
                .forEach(sum -> rows.addObject()
                        .put("key", sum.key())
                        .put("calls", sum.calls())
                        .put("tokens_in", sum.tokensIn())
                        .put("cache_read", sum.cacheRead())
                        .put("cache_write", sum.cacheWrite())
                        .put("tokens_out", sum.tokensOut())
                        .put("reasoning", sum.reasoning())
                        .put("cost_micros", sum.costMicros())
                        .put("unpriced_calls", sum.unpriced())
                        .put("estimated_calls", sum.estimated()));
        return body;
    }
}
