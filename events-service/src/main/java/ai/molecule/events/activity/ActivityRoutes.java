package ai.molecule.events.activity;

import ai.molecule.common.activity.ActivityRow;
import ai.molecule.common.directory.OrgChart;
import ai.molecule.common.directory.OrgChartCache;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.Edge;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.http.PathIds;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.ext.web.RoutingContext;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * {@code GET} and {@code POST /workspaces/:id/activity}.
 *
 * @param publicUrl where clients reach the platform; null means as each request said
 */
public record ActivityRoutes(
        ActivityService activity,
        ActivityQuota quota,
        ShownPassports passports,
        OrgChartCache charts,
        Clock clock,
        Edge edge,
        @Nullable String publicUrl) {

    private static final Map<String, String> LOGGED = Map.of("status", "logged");

    /** 200 with an array, empty for an unknown workspace; 400 for a bad filter; 410 for an unknown {@code since_id}. With {@code wait} held open while empty. */
    public void list(RoutingContext ctx) {
        var query = ActivityQuery.of(PathIds.workspace(ctx), ctx.request()::getParam);
        Promise<Void> gone = Promise.promise();
        ctx.addEndHandler(ended -> gone.tryComplete());
        Answers.json(ctx, activity.list(query, gone.future()).compose(rows -> enveloped(ctx, rows)));
    }

    /** {@code {"status":"logged"}}, for an unknown workspace as well; 400 and 403 with the contract's texts. */
    public void report(RoutingContext ctx) {
        var body = JsonBody.of(ctx, ActivityReport.COMPLAINT);
        var row = ActivityReport.read(body, PathIds.workspace(ctx), UUID.randomUUID(), clock.instant());
        Answers.json(
                ctx,
                quota.admit(row.workspaceId())
                        .compose(admitted -> passports.behalf(
                                row.workspaceId(), ctx.request().getHeader(ShownPassports.HEADER)))
                        .compose(whose -> log(whose.map(row::onBehalf).orElse(row)))
                        .map(logged -> Json.MAPPER.valueToTree(LOGGED)));
    }

    /** Of a workspace that never was there is nothing to tell. A registry that is away costs no report. */
    private Future<?> log(ActivityRow row) {
        return charts.find(row.workspaceId())
                .map(Optional::isPresent)
                .otherwise(true)
                .compose(known -> known ? activity.append(row) : Future.succeededFuture());
    }

    /** The rows are worth having without names, so a registry that is away only costs those. */
    private Future<ArrayNode> enveloped(RoutingContext ctx, List<Activity> rows) {
        return charts.current()
                .<@Nullable OrgChart>map(chart -> chart)
                .otherwise((OrgChart) null)
                .map(chart -> {
                    var envelope = new PollEnvelope(
                            peer -> chart == null ? null : chart.find(peer).orElse(null), publicUrl(ctx));
                    return Answers.array(rows, envelope::around);
                });
    }

    private String publicUrl(RoutingContext ctx) {
        String url = publicUrl == null ? edge.originOf(ctx.request()) : publicUrl;
        return url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
    }
}
