package ai.molecule.proxy.tasks;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.http.Answers;
import io.vertx.ext.web.RoutingContext;

/** {@code GET /workspaces/:id/tasks}. */
public final class TaskRoutes {

    private static final int LISTED = 50;
    private static final int LISTED_MAX = 200;

    private final TaskLog tasks;

    public TaskRoutes(TaskLog tasks) {
        this.tasks = tasks;
    }

    /** {@code ?running=true&limit=50}: an array, newest first, at most 200; without {@code running} those that have ended. */
    public void list(RoutingContext ctx) {
        var workspace = Ids.find(ctx.pathParam("id")).orElseThrow(() -> ApiError.invalid("invalid workspace ID"));
        String limit = ctx.request().getParam("limit", String.valueOf(LISTED));
        if (!limit.matches("\\d{1,4}") || Integer.parseInt(limit) == 0) {
            throw ApiError.invalid("limit must be a positive integer");
        }
        String running = ctx.request().getParam("running", "false");
        if (!running.equals("true") && !running.equals("false")) {
            throw ApiError.invalid("running must be true or false");
        }
        Answers.json(ctx, tasks.list(workspace, running.equals("true"), Math.min(LISTED_MAX, Integer.parseInt(limit))));
    }
}
