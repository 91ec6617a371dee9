package ai.molecule.events.chats;

import ai.molecule.common.ApiError;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.ext.web.RoutingContext;

/** {@code /notifications/telegram}: the bot by which people hear, ask and decide. */
public record BotRoutes(BotService bots) {

    static final String COMPLAINT = "invalid bot";

    /** {@code {"url", "bot", "people", "heard_at", "failing_since", "last_error"}}, never its token; {@code {"bot":null}} where there is none. */
    public void show(RoutingContext ctx) {
        Answers.json(
                ctx,
                bots.get()
                        .map(found -> found.map(BotRoutes::toJson)
                                .orElseGet(() -> Json.object().putNull("bot"))));
    }

    /** {@code {"secret"[, "url"]}} → {@code {"status":"saved"}}. */
    public void set(RoutingContext ctx) {
        var body = JsonBody.of(ctx, COMPLAINT);
        String token = body.text("secret");
        if (token == null) {
            throw ApiError.invalid(BotService.NO_TOKEN);
        }
        Answers.json(
                ctx,
                bots.set(token, body.text("url", TelegramApi.URL))
                        .map(done -> Json.object().put("status", "saved")));
    }

    /** Nobody is known there any more. */
    public void delete(RoutingContext ctx) {
        Answers.json(ctx, bots.delete().map(done -> Json.object().put("status", "deleted")));
    }

    private static ObjectNode toJson(PgChatStore.Standing standing) {
        var body = Json.object().put("url", standing.url()).put("bot", standing.bot());
        var people = body.putArray("people");
        standing.people().forEach(people::add);
        return body.put("heard_at", Json.timeOrNull(standing.heardAt()))
                .put("failing_since", Json.timeOrNull(standing.failingSince()))
                .put("last_error", standing.lastError());
    }
}
