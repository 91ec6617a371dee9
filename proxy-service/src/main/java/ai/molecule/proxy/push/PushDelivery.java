package ai.molecule.proxy.push;

import ai.molecule.common.ApiError;
import ai.molecule.common.db.RepeatedWrites;
import ai.molecule.common.net.SafeDialer;
import ai.molecule.proxy.leases.LeaseRunner;
import ai.molecule.proxy.protocol.Protocol;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import java.net.URI;
import java.util.UUID;

/**
 * Tells receivers, each its oldest notification first. One that does not answer 2xx in time is told again after ever longer pauses, and after
 * the last try the notification is given up; how many were, the next one says. A receiver that answers 410 is not told anything more, nor is one
 * whose asker may not look at the agent any more.
 */
final class PushDelivery implements LeaseRunner.Worker<PushNotice> {

    private static final int GONE = 410;
    private static final int INTERNAL = ApiError.Kind.INTERNAL.status();

    /** Of an answer nobody reads; more of it ends the connection. */
    private static final int ANSWER_MAX_BYTES = 64 * 1024;

    /** Makes what proves to a receiver that the platform tells it. */
    @FunctionalInterface
    interface Signer {

        /** @param audience the receiver's origin */
        Future<String> sign(String audience, UUID workspace, Buffer body);
    }

    /** Knows what a receiver was asked for with. */
    @FunctionalInterface
    interface Right {

        /** Fails with a refusal where the credential with that hash may not look at the workspace any more; any other failure says nothing about it. */
        Future<?> looks(String hash, UUID workspace);
    }

    private final Vertx vertx;
    private final RepeatedWrites repeatedly;
    private final PgPushOutbox outbox;
    private final PgPushSecrets secrets;
    private final SafeDialer dialer;
    private final Signer signer;
    private final Right right;
    private final PushLimits limits;
    private final Counter delivered;
    private final Counter failed;
    private final Counter lost;
    private Runnable next = () -> {};
    private boolean stopped;

    PushDelivery(
            Vertx vertx,
            PgPushOutbox outbox,
            PgPushSecrets secrets,
            SafeDialer dialer,
            Signer signer,
            Right right,
            PushLimits limits,
            MeterRegistry meters) {
        this.vertx = vertx;
        this.repeatedly = new RepeatedWrites(vertx, () -> stopped);
        this.outbox = outbox;
        this.secrets = secrets;
        this.dialer = dialer;
        this.signer = signer;
        this.right = right;
        this.limits = limits;
        this.delivered = meters.counter("molecule.push.delivered");
        this.failed = meters.counter("molecule.push.failed");
        this.lost = meters.counter("molecule.push.lost");
    }

    /** Whom to tell that a receiver's next notification may be due. */
    void tell(Runnable whenDone) {
        next = whenDone;
    }

    @Override
    public void stop() {
        stopped = true;
    }

    @Override
    public Future<Void> advance(PushNotice notice) {
        var body = notice.body();
        if (body == null) { // its receiver was told all that it waited for
            return outbox.taken(notice).mapEmpty();
        }
        return ended(notice)
                .compose(
                        ended -> ended ? outbox.remove(notice).mapEmpty() : deliver(notice, body),
                        unknown -> stopped ? Future.succeededFuture() : after(notice, 0));
    }

    private Future<Void> deliver(PushNotice notice, Buffer body) {
        return sent(notice, body)
                .otherwise(0)
                .compose(status -> stopped ? Future.succeededFuture() : after(notice, status));
    }

    /** Whether whoever asked for it may look at the agent no more; fails where nobody can say. */
    private Future<Boolean> ended(PushNotice notice) {
        String hash = notice.endsWith();
        return hash == null
                ? Future.succeededFuture(false)
                : right.looks(hash, notice.workspaceId())
                        .map(false)
                        .recover(failure -> failure instanceof ApiError refused
                                        && refused.kind().status() < INTERNAL
                                ? Future.succeededFuture(true)
                                : Future.failedFuture(failure));
    }

    private Future<Void> after(PushNotice notice, int status) {
        if (status >= 200 && status < 300) {
            delivered.increment();
            return repeatedly // or it would be told once more
                    .write(() -> outbox.taken(notice))
                    .onSuccess(held -> next.run())
                    .mapEmpty();
        }
        failed.increment();
        if (status == GONE) {
            return outbox.remove(notice).mapEmpty();
        }
        if (notice.attempts() < limits.attemptsMax()) {
            return outbox.again(notice, limits.pauseAfter(notice.attempts())).mapEmpty();
        }
        lost.increment();
        return outbox.givenUp(notice).onSuccess(held -> next.run()).mapEmpty();
    }

    /** The status of the answer; fails when there is none in time. */
    private Future<Integer> sent(PushNotice notice, Buffer body) {
        Promise<Integer> answered = Promise.promise();
        secrets.open(notice.held().id(), notice.config())
                .compose(config -> authorization(notice, config, body)
                        .compose(proof -> dialer.open(HttpMethod.POST, config.url(), false)
                                .map(request -> with(request, notice, config, proof))))
                .onFailure(answered::tryFail)
                .onSuccess(request -> {
                    long timer = vertx.setTimer(limits.answer().toMillis(), late -> {
                        answered.tryFail("no answer in time");
                        request.reset();
                    });
                    request.exceptionHandler(answered::tryFail);
                    request.send(body).onFailure(answered::tryFail).onSuccess(response -> {
                        drop(response);
                        answered.tryComplete(response.statusCode());
                    });
                    answered.future().onComplete(done -> vertx.cancelTimer(timer));
                });
        return answered.future();
    }

    private static HttpClientRequest with(
            HttpClientRequest request, PushNotice notice, PushConfig config, String proof) {
        request.putHeader(
                        "Content-Type", notice.version() == Protocol.V1_0 ? "application/a2a+json" : "application/json")
                .putHeader(Protocol.VERSION_HEADER, notice.version().version())
                .putHeader("X-Molecule-Notification", notice.held().id() + "-" + notice.n());
        if (config.token() != null) {
            request.putHeader("X-A2A-Notification-Token", config.token());
        }
        if (!proof.isEmpty()) {
            request.putHeader("Authorization", proof);
        }
        if (notice.lost() > 0) {
            request.putHeader("X-Molecule-Gap", String.valueOf(notice.lost()));
        }
        return request;
    }

    private Future<String> authorization(PushNotice notice, PushConfig config, Buffer body) {
        if (config.scheme() == null) {
            return Future.succeededFuture("");
        }
        return config.credentials() != null
                ? Future.succeededFuture(config.scheme() + " " + config.credentials())
                : signer.sign(originOf(config.url()), notice.workspaceId(), body)
                        .map(token -> PushConfig.BEARER + " " + token);
    }

    static String originOf(String url) {
        var uri = URI.create(url);
        return uri.getScheme() + "://" + uri.getRawAuthority();
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
