package ai.molecule.events.notifications;

import ai.molecule.common.auth.Ids;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.json.Json;
import io.vertx.ext.web.RoutingContext;
import java.util.UUID;

/** {@code /notifications/targets}: who is told of what waits. */
public record NotificationRoutes(NotificationService notifications) {

    /** An array, the oldest first, with how it goes with each; never a secret. */
    public void list(RoutingContext ctx) {
        Answers.json(
                ctx,
                notifications
                        .list()
                        .map(found -> Answers.array(found, kept -> kept.target().toJson(kept.standing()))));
    }

    /** 201 {@code {"id"}}. */
    public void create(RoutingContext ctx) {
        var id = UUID.randomUUID();
        var wanted = TargetBody.of(JsonBody.of(ctx, TargetBody.COMPLAINT), id, null);
        Answers.json(
                ctx, 201, notifications.create(wanted).map(done -> Json.object().put("id", id.toString())));
    }

    /** {@code {"status":"updated"}}: what the body names, but not the channel. */
    public void change(RoutingContext ctx) {
        var id = idOf(ctx);
        var body = JsonBody.of(ctx, TargetBody.COMPLAINT);
        Answers.json(
                ctx,
                notifications
                        .change(id, old -> TargetBody.of(body, id, old))
                        .map(done -> Json.object().put("status", "updated")));
    }

    public void delete(RoutingContext ctx) {
        Answers.json(
                ctx, notifications.delete(idOf(ctx)).map(done -> Json.object().put("status", "deleted")));
    }

    /** {@code {"status":"delivered"}} once it took a test. */
    public void test(RoutingContext ctx) {
        Answers.json(
                ctx, notifications.test(idOf(ctx)).map(done -> Json.object().put("status", "delivered")));
    }

    private static UUID idOf(RoutingContext ctx) {
        return Ids.find(ctx.pathParam("id")).orElseThrow(PgTargetStore::unknown);
    }
}
