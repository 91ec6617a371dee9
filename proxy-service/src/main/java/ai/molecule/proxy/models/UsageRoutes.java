package ai.molecule.proxy.models;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.BudgetOf;
import ai.molecule.common.directory.OrgChartCache;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.NamedTenant;
import ai.molecule.common.json.Json;
import ai.molecule.proxy.models.PgUsageStore.Sum;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.ext.web.RoutingContext;
import java.math.BigDecimal;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** {@code GET /usage} and {@code GET /workspaces/:id/metrics}: what models cost, added up. An unknown cost is null and counted apart, never nothing. */
public final class UsageRoutes {

    private static final int ROWS_MAX = 1_000;

    private static final Sum NONE = new Sum(null, 0, 0, 0, 0, 0, 0, 0L, 0, 0);

    private final PgUsageStore store;
    private final Bus bus;
    private final Clock clock;
    private final OrgChartCache charts;

    UsageRoutes(PgUsageStore store, Bus bus, OrgChartCache charts, Clock clock) {
        this.store = store;
        this.bus = bus;
        this.charts = charts;
        this.clock = clock;
    }

    /** People of branches are shown what is of them. */
    public void show(RoutingContext ctx) {
        var request = ctx.request();
        var question =
                UsageQuestion.of(request.getParam("by"), request.getParam("from"), request.getParam("to"), clock);
        var unmetered = Unmetered.workspaces(bus);
        Answers.json(
                ctx,
                charts.shownTo(Caller.of(ctx), ctx.request().getHeader(NamedTenant.HEADER))
                        .compose(shown -> store.sums(question, ROWS_MAX + 1, shown.orElse(null))
                                .compose(sums -> unmetered.map(ids -> toJson(
                                        question,
                                        sums,
                                        ids.stream()
                                                .filter(id -> shown.isEmpty()
                                                        || shown.get().contains(id))
                                                .toList())))));
    }

    /** Of today (UTC), in the shape that clients of the platform before this one read. Fails with NOT_FOUND. */
    public void metrics(RoutingContext ctx) {
        UUID id = Ids.find(ctx.pathParam("id")).orElseThrow(() -> ApiError.invalid("invalid workspace ID"));
        var today = clock.instant().truncatedTo(ChronoUnit.DAYS);
        var tomorrow = today.plus(1, ChronoUnit.DAYS);
        Answers.json(
                ctx,
                bus.call(BudgetOf.CONTRACT, new BudgetOf(id))
                        .compose(known -> store.sumOf(id, today, tomorrow))
                        .compose(sum -> Unmetered.workspaces(bus)
                                .map(ids -> metrics(sum.orElse(NONE), today, tomorrow, ids.contains(id)))));
    }

    /** @param elsewhere whether its programs ask models that nobody meters: then nothing is not what it cost */
    private static ObjectNode metrics(Sum sum, Instant from, Instant to, boolean elsewhere) {
        Long micros = sum.costMicros();
        var body = Json.object()
                .put("input_tokens", sum.tokensIn() + sum.cacheRead() + sum.cacheWrite())
                .put("output_tokens", sum.tokensOut())
                .put("total_calls", sum.calls())
                .put(
                        "estimated_cost_usd",
                        elsewhere && sum.calls() == 0
                                ? null
                                : BigDecimal.valueOf(micros == null ? 0 : micros, 6)
                                        .toPlainString())
                .put("period_start", Json.time(from))
                .put("period_end", Json.time(to))
                .put("unpriced_calls", sum.unpriced());
        return elsewhere ? body.put("metered", false) : body;
    }

    private static ObjectNode toJson(UsageQuestion question, List<Sum> sums, List<UUID> unmetered) {
        var body = Json.object()
                .put("by", question.by().wireName())
                .put("from", Json.time(question.from()))
                .put("to", Json.time(question.to()))
                .put("truncated", sums.size() > ROWS_MAX);
        var ids = unmetered.stream().map(UUID::toString).toList();
        ids.forEach(body.putArray("unmetered")::add);
        var rows = body.putArray("rows");
        Set<String> listed = new HashSet<>();
        sums.stream().limit(ROWS_MAX).forEach(sum -> {
            listed.add(String.valueOf(sum.key()));
            row(rows, sum, question.by() == UsageQuestion.By.AGENT && ids.contains(sum.key()));
        });
        if (question.by() == UsageQuestion.By.AGENT) {
            ids.stream()
                    .filter(id -> !listed.contains(id))
                    .forEach(id -> row(rows, new Sum(id, 0, 0, 0, 0, 0, 0, null, 0, 0), true));
        }
        return body;
    }

    /** @param elsewhere whether its programs ask models that nobody meters */
    private static void row(ArrayNode rows, Sum sum, boolean elsewhere) {
        var row = rows.addObject()
                .put("key", sum.key())
                .put("calls", sum.calls())
                .put("tokens_in", sum.tokensIn())
                .put("cache_read", sum.cacheRead())
                .put("cache_write", sum.cacheWrite())
                .put("tokens_out", sum.tokensOut())
                .put("reasoning", sum.reasoning())
                .put("cost_micros", sum.costMicros())
                .put("unpriced_calls", sum.unpriced())
                .put("estimated_calls", sum.estimated());
        if (elsewhere) {
            row.put("metered", false);
        }
    }
}
