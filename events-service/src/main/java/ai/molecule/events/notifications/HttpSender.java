package ai.molecule.events.notifications;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Signature;
import ai.molecule.common.json.Json;
import ai.molecule.common.net.SafeDialer;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;

/** Tells targets over HTTP, each in the words of its kind. Whoever does not answer 2xx in time has not taken it. */
record HttpSender(Vertx vertx, SafeDialer dialer, Clock clock) {

    private static final Duration ANSWER = Duration.ofSeconds(15);

    /** Of an answer nobody reads; more of it ends the connection. */
    private static final int ANSWER_MAX_BYTES = 64 * 1024;

    /** Fails with {@link NotDelivered}. */
    Future<Void> send(Target target, String secret, Note note) {
        return switch (target.channel()) {
            case WEBHOOK -> webhook(target.url(), secret, note);
            case SLACK -> post(secret, Map.of(), slack(note));
            case NTFY -> ntfy(target.url(), secret, note);
            case EMAIL, TELEGRAM -> throw new IllegalArgumentException("it goes another way");
        };
    }

    private Future<Void> webhook(String url, String secret, Note note) {
        var body = Json.buffer(note.toJson());
        String time = String.valueOf(clock.instant().getEpochSecond());
        var signed = Buffer.buffer(time + ".").appendBuffer(body).getBytes();
        return post(
                url,
                Map.of(
                        "X-Molecule-Event", note.event(),
                        "X-Molecule-Delivery", note.id(),
                        "X-Molecule-Timestamp", time,
                        "X-Molecule-Signature", Signature.of(secret, signed)),
                body);
    }

    /** Slack's own escapes: what looks like a mention or a link of an agent's making is text. */
    private static Buffer slack(Note note) {
        String link = note.link().isEmpty() ? "" : "\n<%s|Open it>".formatted(note.link());
        return Json.buffer(Json.object()
                .put("text", "*%s*\n%s%s".formatted(escaped(note.title()), escaped(note.whole()), link)));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    /** As JSON to the server itself, because a title in a header has no characters beyond ASCII. */
    private Future<Void> ntfy(String url, String token, Note note) {
        int topic = url.lastIndexOf('/') + 1;
        var body = Json.object()
                .put("topic", url.substring(topic))
                .put("title", note.title())
                .put("message", note.whole());
        if (!note.link().isEmpty()) {
            body.put("click", note.link());
        }
        Map<String, String> headers = token.isEmpty() ? Map.of() : Map.of("Authorization", "Bearer " + token);
        return post(url.substring(0, topic), headers, Json.buffer(body));
    }

    private Future<Void> post(String url, Map<String, String> headers, Buffer body) {
        Promise<Integer> answered = Promise.promise();
        long timer = vertx.setTimer(ANSWER.toMillis(), late -> answered.tryFail(new NotDelivered("no answer in 15 s")));
        dialer.open(HttpMethod.POST, url, false).onFailure(answered::tryFail).onSuccess(request -> {
            if (answered.future().isComplete()) {
                request.reset();
                return;
            }
            answered.future().onFailure(late -> request.reset());
            request.exceptionHandler(answered::tryFail);
            with(request, headers).send(body).onFailure(answered::tryFail).onSuccess(response -> {
                drop(response);
                answered.tryComplete(response.statusCode());
            });
        });
        return answered.future()
                .onComplete(done -> vertx.cancelTimer(timer))
                .recover(failure -> Future.failedFuture(reason(url, failure)))
                .compose(status -> status >= 200 && status < 300
                        ? Future.succeededFuture()
                        : Future.failedFuture(new NotDelivered("answered " + status)));
    }

    private static HttpClientRequest with(HttpClientRequest request, Map<String, String> headers) {
        headers.forEach(request::putHeader);
        return request.putHeader("Content-Type", "application/json").putHeader("User-Agent", "Molecule");
    }

    private static NotDelivered reason(String url, Throwable failure) {
        return failure instanceof NotDelivered said
                ? said
                : failure instanceof ApiError
                        ? new NotDelivered("the address is not publicly routable")
                        : new NotDelivered(
                                "nobody answers at " + URI.create(url).getHost());
    }

    private static void drop(HttpClientResponse response) {
        long[] read = {0};
        response.exceptionHandler(broken -> {}).handler(chunk -> {
            read[0] += chunk.length();
            if (read[0] > ANSWER_MAX_BYTES) {
                response.request().reset();
            }
        });
    }
}
