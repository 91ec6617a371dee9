package ai.molecule.proxy.models.pricelist;

import static java.nio.charset.StandardCharsets.UTF_8;

import ai.molecule.common.ApiError;
import ai.molecule.common.models.PriceList;
import ai.molecule.common.net.SafeDialer;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Reads a price list and the signature beside it: of a file, or at a URL as {@link SafeDialer} lets it, without redirects. */
record PriceListFetch(Vertx vertx, SafeDialer dialer) {

    /** Of each of the two. */
    private static final Duration WAIT = Duration.ofSeconds(5);

    private static final int SIGNATURE_MAX_BYTES = 1_024;
    private static final int OK = 200;

    /** As it was published: nothing of it is believed yet. */
    record Fetched(byte[] content, String signature) {}

    /** Within 10 s, at most 1 MiB. Fails with {@link UnusablePriceList} or what went wrong. */
    Future<Fetched> read(PriceListConfig from) {
        return part(from, from.source(), PriceList.MAX_BYTES)
                .compose(content -> part(from, from.signature(), SIGNATURE_MAX_BYTES)
                        .map(signature -> new Fetched(content.getBytes(), signature.toString(UTF_8))));
    }

    private Future<Buffer> part(PriceListConfig from, String place, int maxBytes) {
        var reading = from.isUrl()
                ? get(place, maxBytes)
                : vertx.executeBlocking(() -> file(Path.of(place), maxBytes), false)
                        .timeout(WAIT.toMillis(), TimeUnit.MILLISECONDS);
        return reading.recover(failure -> Future.failedFuture(
                failure instanceof TimeoutException
                        ? new UnusablePriceList("it did not come within %d s".formatted(WAIT.toSeconds()))
                        : failure));
    }

    private static Buffer file(Path file, int maxBytes) throws IOException {
        if (!Files.isRegularFile(file)) { // a pipe would never end
            throw new UnusablePriceList("there is no file " + file);
        }
        try (var content = Files.newInputStream(file)) {
            byte[] bytes = content.readNBytes(maxBytes + 1);
            if (bytes.length > maxBytes) {
                throw tooLong(maxBytes);
            }
            return Buffer.buffer(bytes);
        }
    }

    private Future<Buffer> get(String url, int maxBytes) {
        var opening = dialer.open(HttpMethod.GET, url, false);
        return opening.compose(request -> request.send().compose(response -> collect(response, maxBytes)))
                .timeout(WAIT.toMillis(), TimeUnit.MILLISECONDS)
                .onComplete(done -> opening.onSuccess(HttpClientRequest::reset)) // nothing, where all was read
                .recover(failure -> Future.failedFuture(
                        failure instanceof ApiError
                                ? new UnusablePriceList(
                                        "its address is not dialled: nobody knows the name, or it is in a private network")
                                : failure));
    }

    /** What is longer than it may be, or has another status, is read no further. */
    private static Future<Buffer> collect(HttpClientResponse response, int maxBytes) {
        Promise<Buffer> read = Promise.promise();
        response.exceptionHandler(read::tryFail);
        if (response.statusCode() != OK) {
            return Future.failedFuture(new UnusablePriceList("its server answered " + response.statusCode()));
        }
        var body = Buffer.buffer();
        response.endHandler(end -> read.tryComplete(body)).handler(chunk -> {
            if (body.length() + chunk.length() > maxBytes) {
                read.tryFail(tooLong(maxBytes));
            } else {
                body.appendBuffer(chunk);
            }
        });
        return read.future();
    }

    private static UnusablePriceList tooLong(int maxBytes) {
        return new UnusablePriceList(
                maxBytes == PriceList.MAX_BYTES ? "it is longer than 1 MiB" : "its signature is longer than 1 KiB");
    }
}
