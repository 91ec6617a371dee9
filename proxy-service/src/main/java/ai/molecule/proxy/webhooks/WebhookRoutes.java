package ai.molecule.proxy.webhooks;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.json.Json;
import ai.molecule.proxy.webhooks.IncomingWebhooks.Outcome;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** {@code /webhooks}: who may send, and what they send. */
public record WebhookRoutes(IncomingWebhooks webhooks) {

    private static final int SECRET_MIN_CHARS = 16;
    private static final int SECRET_MAX_CHARS = 1_000;

    /** An array by type, without secrets. */
    public void list(RoutingContext ctx) {
        Answers.json(ctx, webhooks.list().map(found -> Answers.array(found, Webhook::toJson)));
    }

    /** {@code {"to", "secret"[, "title", "brief", "events", "limit"]}} → {@code {"status":"saved"}}. */
    public void set(RoutingContext ctx) {
        var body = JsonBody.of(ctx, Webhook.COMPLAINT);
        String secret = body.text("secret");
        if (secret != null && (secret.length() < SECRET_MIN_CHARS || secret.length() > SECRET_MAX_CHARS)) {
            throw ApiError.invalid("secret must be at least %d characters".formatted(SECRET_MIN_CHARS));
        }
        var webhook = Webhook.of(ctx.pathParam("type"), body);
        Answers.json(
                ctx, webhooks.set(webhook, secret).map(done -> Json.object().put("status", "saved")));
    }

    public void delete(RoutingContext ctx) {
        Answers.json(
                ctx,
                webhooks.delete(ctx.pathParam("type")).map(done -> Json.object().put("status", "deleted")));
    }

    /** Of a type that says itself to whom it goes. */
    public void take(RoutingContext ctx) {
        take(ctx, ctx.pathParam("type"), null);
    }

    public void takeOfGithub(RoutingContext ctx) {
        var id = Ids.find(ctx.pathParam("id")).orElseThrow(() -> ApiError.invalid("invalid workspace ID"));
        take(ctx, Webhook.GITHUB, id);
    }

    /** 202 {@code {"status":"accepted","work_id"}}, 200 for one that was taken before, 202 {@code {"status":"ignored","reason"}}. */
    private void take(RoutingContext ctx, String type, @Nullable UUID named) {
        var sent = ctx.body().buffer();
        var taken =
                webhooks.take(type, named, Proof.of(ctx.request().headers()), sent == null ? Buffer.buffer() : sent);
        taken.onFailure(ctx::fail)
                .onSuccess(outcome -> Answers.json(
                        ctx, outcome instanceof Outcome.Accepted one && one.again() ? 200 : 202, said(outcome)));
    }

    private static Future<ObjectNode> said(Outcome outcome) {
        return Future.succeededFuture(
                switch (outcome) {
                    case Outcome.Accepted one ->
                        Json.object()
                                .put("status", one.again() ? "duplicate" : "accepted")
                                .put("work_id", one.workId().toString());
                    case Outcome.Ignored none ->
                        Json.object().put("status", "ignored").put("reason", "unsupported event type");
                });
    }
}
