package ai.molecule.proxy.schedules;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Bearer;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.directory.OrgChartCache;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.http.NamedTenant;
import ai.molecule.common.http.PathIds;
import ai.molecule.common.json.Json;
import ai.molecule.common.schedules.ScheduleSpec;
import ai.molecule.proxy.a2a.admission.Admission;
import io.vertx.ext.web.RoutingContext;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** {@code /workspaces/:id/schedules} and {@code /admin/schedules/health}, as docs/wire/proxy.md has them. */
public final class ScheduleRoutes {

    private static final int HISTORY = 20;
    private static final int HISTORY_MAX = 200;

    private final ScheduleService schedules;
    private final Admission admission;
    private final OrgChartCache charts;

    public ScheduleRoutes(ScheduleService schedules, Admission admission, OrgChartCache charts) {
        this.schedules = schedules;
        this.admission = admission;
        this.charts = charts;
    }

    public void list(RoutingContext ctx) {
        Answers.json(ctx, schedules.list(PathIds.workspace(ctx)).map(found -> Answers.array(found, Schedule::toJson)));
    }

    public void create(RoutingContext ctx) {
        var workspace = PathIds.workspace(ctx);
        var spec = ScheduleSpec.of(JsonBody.of(ctx, "invalid request body").members());
        Answers.json(
                ctx,
                201,
                schedules
                        .create(workspace, spec, Caller.of(ctx).credential())
                        .map(made -> Json.object()
                                .put("id", made.id().toString())
                                .put("status", "created")
                                .put("next_run_at", Json.timeOrNull(made.nextRunAt()))));
    }

    public void change(RoutingContext ctx) {
        var workspace = PathIds.workspace(ctx);
        var id = idOf(ctx);
        var members = JsonBody.of(ctx, "invalid JSON").members();
        Answers.json(
                ctx,
                schedules
                        .change(workspace, id, members)
                        .map(changed -> Json.object()
                                .put("status", "updated")
                                .put("next_run_at", Json.timeOrNull(changed.nextRunAt()))));
    }

    public void delete(RoutingContext ctx) {
        Answers.json(
                ctx,
                schedules
                        .delete(PathIds.workspace(ctx), idOf(ctx))
                        .map(done -> Json.object().put("status", "deleted")));
    }

    /** With {@code {"send":true}} it runs; without, as existing clients ask, whoever asked sends the prompt. */
    public void run(RoutingContext ctx) {
        var workspace = PathIds.workspace(ctx);
        boolean send = JsonBody.optional(ctx, "invalid JSON").flag("send", false);
        var id = idOf(ctx);
        Answers.json(
                ctx,
                (send ? schedules.run(workspace, id) : schedules.get(workspace, id))
                        .map(schedule -> Json.object()
                                .put("status", "fired")
                                .put("workspace_id", workspace.toString())
                                .put("prompt", schedule.spec().prompt())));
    }

    /** {@code ?limit=20&before=<time>}: newest first, at most 200. */
    public void history(RoutingContext ctx) {
        String limit = ctx.request().getParam("limit", String.valueOf(HISTORY));
        if (!limit.matches("\\d{1,4}") || Integer.parseInt(limit) == 0) {
            throw ApiError.invalid("limit must be a positive integer");
        }
        Answers.json(
                ctx,
                schedules.history(
                        PathIds.workspace(ctx),
                        idOf(ctx),
                        before(ctx.request().getParam("before")),
                        Math.min(HISTORY_MAX, Integer.parseInt(limit))));
    }

    /** For workspaces that may write to this one. */
    public void health(RoutingContext ctx) {
        var workspace = PathIds.workspace(ctx);
        String caller = ctx.request().getHeader("X-Workspace-ID");
        if (caller == null || caller.isBlank()) {
            throw ApiError.unauthenticated("X-Workspace-ID header required");
        }
        Answers.json(
                ctx,
                admission
                        .reader(workspace, caller, Bearer.of(ctx.request()))
                        .compose(schedules::list)
                        .map(found -> Answers.array(found, Schedule::health)));
    }

    /** People of branches are shown those of what is in them. */
    public void healthOfAll(RoutingContext ctx) {
        Answers.json(
                ctx,
                charts.shownTo(Caller.of(ctx), ctx.request().getHeader(NamedTenant.HEADER))
                        .compose(shown -> schedules.health(shown.orElse(null))));
    }

    private static @Nullable Instant before(@Nullable String time) {
        try {
            return time == null || time.isEmpty() ? null : Instant.parse(time);
        } catch (DateTimeParseException noTime) {
            throw ApiError.invalid("before must be a time (RFC 3339)");
        }
    }

    private static UUID idOf(RoutingContext ctx) {
        return Ids.find(ctx.pathParam("scheduleId")).orElseThrow(() -> ApiError.notFound("schedule not found"));
    }
}
