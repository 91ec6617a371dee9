package ai.molecule.registry.externals;

import ai.molecule.common.ApiError;
import ai.molecule.common.json.Json;
import ai.molecule.common.net.SafeDialer;
import ai.molecule.registry.workspaces.FieldRules;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Fetches the card of an agent from the URL where it listens: from below that, because a server may hold several, else from its host. */
record CardFetch(SafeDialer dialer) {

    private static final String PATH = "/.well-known/agent-card.json";
    private static final Duration WAIT = Duration.ofSeconds(2);
    private static final int READ_MAX_BYTES = 256 * 1024;
    private static final int OK = 200;

    /**
     * The card as JSON text; empty when what answers shows none. Each address has 2 s and 256 KiB.
     *
     * @return never fails
     */
    Future<Optional<String>> from(String url) {
        Future<Optional<String>> found = Future.succeededFuture(Optional.empty());
        for (String address : addresses(url)) {
            found = found.compose(card -> card.isPresent() ? Future.succeededFuture(card) : read(address));
        }
        return found.otherwise(Optional.empty()); // who does not answer at one address is not asked at the other
    }

    static List<String> addresses(String url) {
        try {
            var uri = URI.create(url);
            String path = uri.getRawPath() == null ? "" : uri.getRawPath().replaceAll("/+$", "");
            List<String> addresses = new ArrayList<>();
            if (!path.isEmpty()) {
                addresses.add(uri.resolve(path + PATH).toString());
            }
            addresses.add(uri.resolve(PATH).toString());
            return addresses;
        } catch (IllegalArgumentException malformed) {
            return List.of();
        }
    }

    private Future<Optional<String>> read(String address) {
        var opening = dialer.open(HttpMethod.GET, address, false);
        return opening.compose(request ->
                        request.putHeader("Accept", "application/json").send().compose(CardFetch::collect))
                .timeout(WAIT.toMillis(), TimeUnit.MILLISECONDS)
                .onComplete(done -> opening.onSuccess(HttpClientRequest::reset)) // nothing, where all was read
                .map(CardFetch::card);
    }

    /** What is longer than a card may be, or has another status, is read no further. */
    private static Future<Buffer> collect(HttpClientResponse response) {
        if (response.statusCode() != OK) {
            return Future.succeededFuture(Buffer.buffer());
        }
        Promise<Buffer> read = Promise.promise();
        var body = Buffer.buffer();
        response.exceptionHandler(read::tryFail)
                .endHandler(end -> read.tryComplete(body))
                .handler(chunk -> {
                    if (body.length() + chunk.length() > READ_MAX_BYTES) {
                        read.tryComplete(Buffer.buffer());
                    } else {
                        body.appendBuffer(chunk);
                    }
                });
        return read.future();
    }

    private static Optional<String> card(Buffer body) {
        try {
            if (!(Json.parse(body.getBytes()) instanceof ObjectNode card)
                    || !card.path("name").isTextual()
                    || !Json.isStorable(card)) {
                return Optional.empty();
            }
            String text = Json.text(card);
            FieldRules.checkCard(text);
            return Optional.of(text);
        } catch (IOException | ApiError noCard) {
            return Optional.empty();
        }
    }
}
