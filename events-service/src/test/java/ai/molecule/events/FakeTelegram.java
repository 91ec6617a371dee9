package ai.molecule.events;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The HTTP interface of Telegram's bots as its page documents it, of what we use: updates until they are confirmed, and messages. */
final class FakeTelegram {

    static final String TOKEN = "123456:a-token-as-the-botfather-gives";

    private final List<ObjectNode> updates = new ArrayList<>();
    private final HttpServer server;
    private long nextId = 900;

    /** Bodies of sendMessage that it took, in their order. */
    final List<JsonNode> said = new CopyOnWriteArrayList<>();

    /** Buttons that it was told to have been seen. */
    final List<String> seen = new CopyOnWriteArrayList<>();

    /** What each getUpdates asked from. */
    final List<Long> offsets = new CopyOnWriteArrayList<>();

    /** Answers of sendMessage that are none, before it takes any. */
    volatile int refusing;

    /** Whether who is written to has blocked the bot. */
    volatile boolean blocked;

    FakeTelegram(Vertx vertx) {
        server = vertx.createHttpServer()
                .requestHandler(request ->
                        request.body().onSuccess(body -> answer(request, Json.stored(body.toString()))))
                .listen(0, "127.0.0.1")
                .await();
    }

    String url() {
        return "http://127.0.0.1:" + server.actualPort();
    }

    /** Somebody writes to the bot. */
    synchronized void write(long sender, String text) {
        write(sender, text, "private");
    }

    synchronized void write(long sender, String text, String type) {
        updates.add(update("message", message(sender, type).put("text", text)));
    }

    /** Somebody presses a button under what the bot said. */
    synchronized void press(long sender, String data) {
        var query = Json.object().put("id", "q" + nextId).put("data", data);
        query.putObject("from").put("id", sender).put("is_bot", false);
        query.set("message", message(sender, "private"));
        updates.add(update("callback_query", query));
    }

    private ObjectNode update(String kind, ObjectNode what) {
        var update = Json.object().put("update_id", nextId++);
        update.set(kind, what);
        return update;
    }

    private static ObjectNode message(long sender, String type) {
        var message = Json.object().put("message_id", 1).put("date", 1);
        message.putObject("from").put("id", sender).put("is_bot", false).put("first_name", "Kim");
        message.putObject("chat").put("id", sender).put("type", type);
        return message;
    }

    private void answer(HttpServerRequest request, JsonNode body) {
        String method = request.path().substring(request.path().lastIndexOf('/') + 1);
        if (!request.path().startsWith("/bot" + TOKEN + "/")) {
            refuse(request, 401);
        } else if (method.equals("getUpdates")) {
            offsets.add(body.path("offset").asLong());
            result(
                    request,
                    pending(body.path("offset").asLong(), body.path("limit").asInt()));
        } else if (method.equals("sendMessage") && blocked) {
            refuse(request, 403);
        } else if (method.equals("sendMessage") && refusing > 0) {
            refusing--;
            refuse(request, 429);
        } else if (method.equals("sendMessage")) {
            said.add(body);
            result(request, Json.object().put("message_id", 1));
        } else if (method.equals("answerCallbackQuery")) {
            seen.add(body.path("callback_query_id").asText());
            result(request, Json.object());
        } else {
            refuse(request, 404);
        }
    }

    /** An offset confirms everything before it. */
    private synchronized JsonNode pending(long offset, int limit) {
        updates.removeIf(update -> update.path("update_id").asLong() < offset);
        var told = Json.MAPPER.createArrayNode();
        updates.stream().limit(limit).forEach(told::add);
        return told;
    }

    private static void result(HttpServerRequest request, JsonNode result) {
        var body = Json.object().put("ok", true);
        body.set("result", result);
        request.response().putHeader("Content-Type", "application/json").end(Json.buffer(body));
    }

    private static void refuse(HttpServerRequest request, int code) {
        var body = Json.object().put("ok", false).put("error_code", code).put("description", "no");
        request.response().setStatusCode(code).end(Json.buffer(body));
    }

    /** Texts that somebody was told, in their order. */
    List<String> textsTo(long sender) {
        return said.stream()
                .filter(message -> message.path("chat_id").asLong() == sender)
                .map(message -> message.path("text").asText())
                .toList();
    }
}
