package ai.molecule.events.chats;

import ai.molecule.common.ApiError;
import ai.molecule.common.json.Json;
import ai.molecule.common.net.SafeDialer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.time.Duration;

/**
 * The HTTP interface of Telegram's bots (core.telegram.org/bots/api): a POST of JSON to {@code <url>/bot<token>/<method>}, answered by {@code
 * {"ok", "result"}} or {@code {"ok", "error_code", "description"[, "parameters"]}}.
 */
record TelegramApi(Vertx vertx, SafeDialer dialer) {

    static final String URL = "https://api.telegram.org";

    /** A message has at most 4,096 UTF-16 units. */
    static final int TEXT_MAX_CHARS = 4_000;

    private static final Duration ANSWER = Duration.ofSeconds(15);

    /** Twenty updates are some hundred KiB. */
    private static final int ANSWER_MAX_BYTES = 4 << 20;

    private static final int PAUSE_MAX_SECONDS = 3_600;

    /** Where a bot is asked. */
    record Access(String url, String token) {

        @Override
        public String toString() {
            return url; // the token never reaches a log
        }
    }

    /** Fails with {@link NotTaken}. */
    Future<JsonNode> call(Access access, String method, ObjectNode body) {
        return call(access, method, body, Duration.ZERO);
    }

    /** @param longer than others it may take, because it waits for something */
    Future<JsonNode> call(Access access, String method, ObjectNode body, Duration longer) {
        String url = access.url.replaceFirst("/+$", "") + "/bot" + access.token + "/" + method;
        Promise<JsonNode> answered = Promise.promise();
        long timer =
                vertx.setTimer(ANSWER.plus(longer).toMillis(), late -> answered.tryFail(failed("no answer in 15 s")));
        dialer.open(HttpMethod.POST, url, false).onFailure(answered::tryFail).onSuccess(request -> {
            if (answered.future().isComplete()) {
                request.reset();
                return;
            }
            answered.future().onFailure(late -> request.reset());
            request.exceptionHandler(answered::tryFail);
            request.putHeader("Content-Type", "application/json")
                    .putHeader("User-Agent", "Molecule")
                    .send(Json.buffer(body))
                    .onFailure(answered::tryFail)
                    .onSuccess(response -> read(response, answered));
        });
        return answered.future()
                .onComplete(done -> vertx.cancelTimer(timer))
                .recover(failure -> Future.failedFuture(
                        failure instanceof NotTaken said
                                ? said
                                : failed(
                                        failure instanceof ApiError
                                                ? "the address is not publicly routable"
                                                : "nobody answers there")));
    }

    private static void read(HttpClientResponse response, Promise<JsonNode> answered) {
        var read = Buffer.buffer();
        response.exceptionHandler(answered::tryFail)
                .handler(chunk -> {
                    read.appendBuffer(chunk);
                    if (read.length() > ANSWER_MAX_BYTES) {
                        answered.tryFail(failed("answered too much"));
                    }
                })
                .endHandler(end -> {
                    try {
                        answered.tryComplete(result(response.statusCode(), Json.parse(read.getBytes())));
                    } catch (IOException malformed) {
                        answered.tryFail(failed("answered " + response.statusCode()));
                    } catch (NotTaken refused) {
                        answered.tryFail(refused);
                    }
                });
    }

    /** Of its description nothing is told: it may hold what was said. */
    private static JsonNode result(int status, JsonNode answer) {
        if (status == 200 && answer.path("ok").asBoolean()) {
            return answer.path("result");
        }
        int code = answer.path("error_code").asInt(status);
        int pause = answer.at("/parameters/retry_after").asInt();
        throw new NotTaken(
                switch (code) {
                    case 401, 404 -> "the bot's token is not valid";
                    case 403 -> "it was blocked there";
                    case 409 -> "another program reads what the bot is told";
                    default -> "answered " + code;
                },
                code == 400 || code == 403,
                pause <= 0 ? null : Duration.ofSeconds(Math.min(pause, PAUSE_MAX_SECONDS)));
    }

    private static NotTaken failed(String why) {
        return new NotTaken(why, false, null);
    }

    /** Plain: what an agent writes is no markup. Never cut through the middle of a character. */
    static ObjectNode message(String sender, String text) {
        String told = text;
        if (text.length() > TEXT_MAX_CHARS) {
            int end = Character.isHighSurrogate(text.charAt(TEXT_MAX_CHARS - 1)) ? TEXT_MAX_CHARS - 1 : TEXT_MAX_CHARS;
            told = text.substring(0, end) + "…";
        }
        var body = Json.object().put("chat_id", sender).put("text", told.isBlank() ? "(no words)" : told);
        body.putObject("link_preview_options").put("is_disabled", true);
        return body;
    }
}
