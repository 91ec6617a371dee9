package ai.molecule.events.notify;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.json.Json;
import io.vertx.ext.web.RoutingContext;

/** {@code POST /workspaces/:id/notify}. */
public record NotifyRoutes(NotifyService notifications) {

    /** {@code {"message"[, "attachments"]}} → {@code {"status":"sent"}}; 400 with the contract's texts; 404. */
    public void send(RoutingContext ctx) {
        var notification = Notification.of(JsonBody.of(ctx, Notification.COMPLAINT));
        var id = Ids.find(ctx.pathParam("id")).orElseThrow(() -> ApiError.notFound("workspace not found"));
        Answers.json(
                ctx,
                notifications.send(id, notification).map(sent -> Json.object().put("status", "sent")));
    }
}
