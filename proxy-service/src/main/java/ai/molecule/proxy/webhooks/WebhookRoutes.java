package ai.molecule.proxy.webhooks;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.directory.OrgChartCache;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.json.Json;
import ai.molecule.proxy.webhooks.IncomingWebhooks.Outcome;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** {@code /webhooks}: who may send, and what they send. People of a branch set up, and are shown, senders whose work is for agents in it. */
public record WebhookRoutes(IncomingWebhooks webhooks, Guards guards, OrgChartCache charts) {

    private static final int SECRET_MIN_CHARS = 16;
    private static final int SECRET_MAX_CHARS = 1_000;

    /** An array by type, without secrets. */
    public void list(RoutingContext ctx) {
        Answers.json(
                ctx,
                charts.shownTo(Caller.of(ctx))
                        .compose(shown -> webhooks.list()
                                .map(found -> found.stream()
                                        .filter(one -> isShown(one, shown))
                                        .toList()))
                        .compose(found -> webhooks.paused(found)
                                .map(paused -> Answers.array(found, one -> one.toJson(paused.contains(one.type()))))));
    }

    private static boolean isShown(Webhook webhook, Optional<Set<UUID>> shown) {
        return shown.isEmpty() || (webhook.to() != null && shown.get().contains(webhook.to()));
    }

    /** {@code {"to", "secret"[, "title", "brief", "events", "limit"]}} → {@code {"status":"saved"}}. */
    public void set(RoutingContext ctx) {
        set(ctx, body -> Webhook.of(ctx.pathParam("type"), body, Webhook.Made.by(Caller.of(ctx))));
    }

    /** The same without {@code to}: of GitHub, for the agent in the address alone. */
    public void setOfGithub(RoutingContext ctx) {
        var agent = agentOf(ctx);
        set(ctx, body -> Webhook.ofGithub(agent, body, Webhook.Made.by(Caller.of(ctx))));
    }

    private void set(RoutingContext ctx, Function<JsonBody, Webhook> wanted) {
        var body = JsonBody.of(ctx, Webhook.COMPLAINT);
        String secret = body.text("secret");
        if (secret != null && (secret.length() < SECRET_MIN_CHARS || secret.length() > SECRET_MAX_CHARS)) {
            throw ApiError.invalid("secret must be at least %d characters".formatted(SECRET_MIN_CHARS));
        }
        var webhook = wanted.apply(body);
        Answers.json(
                ctx,
                guards.actsFor(ctx, webhook.to())
                        .compose(may -> webhooks.set(webhook, secret, here(ctx)))
                        .map(done -> Json.object().put("status", "saved")));
    }

    public void delete(RoutingContext ctx) {
        delete(ctx, ctx.pathParam("type"));
    }

    public void deleteOfGithub(RoutingContext ctx) {
        delete(ctx, Webhook.githubOf(agentOf(ctx)));
    }

    private void delete(RoutingContext ctx, String type) {
        Answers.json(
                ctx,
                mayDelete(ctx, type)
                        .compose(may -> webhooks.delete(type))
                        .map(done -> Json.object().put("status", "deleted")));
    }

    private static UUID agentOf(RoutingContext ctx) {
        return Ids.find(ctx.pathParam("id")).orElseThrow(() -> ApiError.invalid("invalid workspace ID"));
    }

    /** One that they are not shown is none to people of branches. */
    private Future<?> mayDelete(RoutingContext ctx, String type) {
        return !isNarrowed(ctx)
                ? Future.succeededFuture()
                : charts.shownTo(Caller.of(ctx))
                        .compose(shown -> webhooks.get(type)
                                .map(found ->
                                        found.filter(one -> isShown(one, shown)).orElseThrow(IncomingWebhooks::unknown))
                                .compose(found -> guards.actsFor(ctx, found.to())));
    }

    /** Whether somebody acts who may do so in a branch at most. */
    private static boolean isNarrowed(RoutingContext ctx) {
        var caller = Caller.of(ctx);
        return caller.kind() == Caller.Kind.PERSON && !caller.rulesTheOrganisation();
    }

    /** Who acts in a branch changes nobody else's: whom the work of one that is there is for has to be an agent of that branch, too. */
    private IncomingWebhooks.Changing here(RoutingContext ctx) {
        return before -> isNarrowed(ctx) ? guards.actsFor(ctx, before.to()) : Future.succeededFuture();
    }

    /** Of a type that says itself to whom it goes. */
    public void take(RoutingContext ctx) {
        take(ctx, ctx.pathParam("type"), null);
    }

    public void takeOfGithub(RoutingContext ctx) {
        take(ctx, Webhook.GITHUB, agentOf(ctx));
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
