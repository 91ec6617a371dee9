package ai.molecule.provisioner.plugins.sources;

import ai.molecule.common.net.SafeDialer;
import ai.molecule.provisioner.plugins.sources.FetchFailure.Kind;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.file.AsyncFile;
import io.vertx.core.file.OpenOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import java.net.URI;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Brings a file from the network to the disk: through the safe dialer at every step, never more bytes than allowed, and over by
 * the end of its time however slowly the other side sends.
 */
public record TarballDownload(Vertx vertx, SafeDialer dialer) {

    /** A renamed repository is one step, a mirror another. */
    private static final int REDIRECTS_MAX = 3;

    /** Writes a new file. Fails with {@link FetchFailure}; then a part of it may be there. */
    Future<Void> toFile(String url, Path file, FetchLimits limits) {
        return attempt(url, file, limits, REDIRECTS_MAX)
                .recover(failure -> Future.failedFuture(asFetchFailure(failure, limits)));
    }

    private Future<Void> attempt(String url, Path file, FetchLimits limits, int redirectsLeft) {
        var opened = dialer.open(HttpMethod.GET, url, false);
        return opened.timeout(limits.millisLeft(), TimeUnit.MILLISECONDS)
                .onFailure(late -> opened.onSuccess(HttpClientRequest::reset))
                .compose(request -> {
                    long timer = vertx.setTimer(limits.millisLeft(), late -> request.reset());
                    return request.putHeader("User-Agent", "molecule")
                            .send()
                            .compose(response -> answered(url, response, file, limits, redirectsLeft))
                            .onFailure(failed -> request.reset())
                            .onComplete(done -> vertx.cancelTimer(timer));
                });
    }

    private Future<Void> answered(
            String url, HttpClientResponse response, Path file, FetchLimits limits, int redirectsLeft) {
        int status = response.statusCode();
        if (status == 200) {
            return save(response, file, limits);
        }
        response.request().reset(); // nobody reads the rest
        String location = response.getHeader("Location");
        if (status >= 301 && status <= 308 && location != null && redirectsLeft > 0) {
            return attempt(target(url, location), file, limits, redirectsLeft - 1);
        }
        var kind = status == 404 || status == 410 ? Kind.NOT_FOUND : Kind.UNUSABLE;
        return Future.failedFuture(new FetchFailure(kind, url + " answered " + status));
    }

    /** Never from https to plain http. Whether its address may be dialled, the dialer decides. */
    private static String target(String url, String location) {
        try {
            var next = URI.create(url).resolve(location);
            if (url.startsWith("https:") && !"https".equals(next.getScheme())) {
                throw new FetchFailure(Kind.UNUSABLE, "redirected to " + next.getScheme());
            }
            return next.toString();
        } catch (IllegalArgumentException malformed) {
            throw new FetchFailure(Kind.UNUSABLE, "redirected to what is no URL", malformed);
        }
    }

    private Future<Void> save(HttpClientResponse response, Path file, FetchLimits limits) {
        response.pause();
        return vertx.fileSystem()
                .open(
                        file.toString(),
                        new OpenOptions().setCreateNew(true).setWrite(true).setRead(false))
                .compose(out -> pump(response, out, limits).eventually(out::close));
    }

    private static Future<Void> pump(HttpClientResponse response, AsyncFile out, FetchLimits limits) {
        Promise<Void> done = Promise.promise();
        long[] bytes = {0};
        response.exceptionHandler(done::tryFail);
        response.endHandler(end -> done.tryComplete());
        response.handler(part -> {
            bytes[0] += part.length();
            if (bytes[0] > limits.bytesMax()) {
                done.tryFail(limits.tooLarge()); // which also ends the request
            }
            if (done.future().isComplete()) {
                return;
            }
            out.write(part).onFailure(done::tryFail);
            if (out.writeQueueFull()) {
                response.pause();
                out.drainHandler(drained -> response.resume());
            }
        });
        response.resume();
        return done.future();
    }

    private static FetchFailure asFetchFailure(Throwable failure, FetchLimits limits) {
        if (failure instanceof FetchFailure known) {
            return known;
        }
        return limits.isOver()
                ? new FetchFailure(Kind.TIMED_OUT, "the other side is too slow", failure)
                : new FetchFailure(Kind.UNUSABLE, "nobody answers there as one should", failure);
    }
}
