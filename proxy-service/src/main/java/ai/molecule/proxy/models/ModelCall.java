package ai.molecule.proxy.models;

import ai.molecule.common.ApiError;
import ai.molecule.common.http.Answers;
import ai.molecule.common.models.ModelProtocol;
import ai.molecule.common.models.ModelUsage;
import ai.molecule.common.tracing.Tracing;
import ai.molecule.proxy.models.ModelCallRow.Outcome;
import ai.molecule.proxy.models.ProviderLine.Unwell;
import ai.molecule.proxy.models.translation.AnswerTranslation;
import ai.molecule.proxy.streams.EventRoom;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One call from the moment it may leave to its row. Whatever happens, it ends once: with an answer or an error for the caller, and one
 * row. To be used on one event loop.
 */
final class ModelCall {

    /** An error of a provider is small; what is more of it is not passed on. */
    private static final int ERROR_MAX_BYTES = 256 * 1024;

    private static final Duration ERROR_TIMEOUT = Duration.ofSeconds(10);

    /** Tells who answered. */
    private static final String MODEL_HEADER = "X-Molecule-Model";

    /** Of a 402 that is the platform's: a provider may answer one too. */
    private static final String BUDGET_HEADER = "X-Molecule-Budget";

    private static final String INSTEAD_HEADER = "X-Molecule-Instead-Of";
    private static final Pattern IN_A_HEADER = Pattern.compile("[!-~]{1,256}");
    private static final byte[] NOTHING = {};

    /** Tokens, about: what common models write in a second. */
    private static final long THOUGHTS_A_SECOND = 100;

    /**
     * How it leaves.
     *
     * @param came as which it came, which is not as which it leaves when it is translated
     * @param form of its answer; null when that passes as it is
     * @param dial opens a request to where it goes
     * @param hidesUsage whether its stream tells a usage that the caller did not ask for
     * @param others whether somebody else is asked when this provider cannot answer
     * @param unseen tokens of output that the caller lets the provider write before anything of them is seen; 0 of a stream
     */
    record Facts(
            PlannedCall planned,
            ModelOperation came,
            @Nullable AnswerForm form,
            Supplier<Future<HttpClientRequest>> dial,
            MultiMap headers,
            boolean hidesUsage,
            boolean others,
            long unseen) {}

    private final RoutingContext ctx;
    private final Facts facts;
    private final ModelOperation operation;
    private final Allowance allowance;
    private final ProviderLine line;
    private final ModelLimits limits;
    private final EventRoom room;
    private final Ledger ledger;
    private final ProviderWaits waits;
    private final UsageReader reader;
    private final long startNanos = System.nanoTime();
    private final Tracing.ModelSpan span;
    private final RetryPlan retries;
    private final Promise<ModelUsage> over = Promise.promise();
    private byte[] body = NOTHING;
    private Runnable onSent = () -> {};
    private int attempts;
    private long sentAtNanos;
    private Duration waited = Duration.ZERO;
    private boolean goesElsewhere;
    private @Nullable HttpClientRequest upstream;
    private @Nullable ModelAnswer answer;
    private @Nullable AnswerTranslation translation;
    private boolean ended;
    private int status;

    ModelCall(
            RoutingContext ctx,
            Facts facts,
            Allowance allowance,
            ProviderLine line,
            ModelLimits limits,
            EventRoom room,
            Ledger ledger,
            ProviderWaits waits) {
        this.ctx = ctx;
        this.facts = facts;
        this.operation = facts.planned.operation();
        this.allowance = allowance;
        this.line = line;
        this.limits = limits;
        this.room = room;
        this.ledger = ledger;
        this.waits = waits;
        var chosen = facts.planned.chosen();
        this.retries = new RetryPlan(limits.tries(), limits.patience())
                .forCaller(ctx.request().headers());
        this.span = Tracing.of(ctx.vertx())
                .asks(operation.genAiName(), chosen.provider().name(), chosen.model());
        this.reader = new UsageReader(operation.protocol());
    }

    /**
     * Completes when the call is over and its row on the way, with what it used.
     *
     * @param sent runs when the request's bytes are needed no more
     */
    Future<ModelUsage> run(byte[] request, Runnable sent) {
        body = request;
        long timer = ctx.vertx().setTimer(limits.call().toMillis(), late -> givenUp());
        ctx.addEndHandler(done -> {
            if (done.failed()) {
                left();
            }
        });
        onSent = sent;
        if (ctx.response().closed()) {
            end(Outcome.UNREACHABLE);
        } else {
            send();
        }
        return over.future().onComplete(done -> ctx.vertx().cancelTimer(timer));
    }

    /** Whether its provider could not answer and another one is to be asked: the caller was told nothing. */
    boolean goesElsewhere() {
        return goesElsewhere;
    }

    private void send() {
        attempts++;
        sentAtNanos = System.nanoTime();
        line.ask(facts.dial, facts.headers, body, this::opened)
                .onSuccess(this::answered)
                .onFailure(this::unanswered);
    }

    /** Nothing was done for what was sent: it is sent again. */
    private void sendAgain(Duration pause) {
        var refused = upstream;
        upstream = null;
        if (refused != null) {
            refused.reset();
        }
        waited = waited.plus(pause);
        Runnable again = () -> {
            if (!ended) {
                send();
            }
        };
        if (pause.isZero()) {
            again.run();
        } else {
            ctx.vertx().setTimer(Math.max(1, pause.toMillis()), over -> again.run());
        }
    }

    /** The request's bytes are needed no more. */
    private void forget() {
        body = NOTHING;
        onSent.run();
        onSent = () -> {};
    }

    private void elsewhere(Outcome outcome) {
        goesElsewhere = true;
        onSent = () -> {}; // the next one gets them
        end(outcome);
    }

    /** Ends it now, whatever it is at; the caller is told when it can be. */
    void stop(Outcome outcome, @Nullable ApiError why) {
        if (ended) {
            return;
        }
        var passing = answer;
        end(outcome);
        if (passing != null) {
            passing.stop(why);
        } else if (why != null) {
            refuse(why);
        }
    }

    private void opened(HttpClientRequest opened) {
        upstream = opened;
        if (ended) {
            opened.reset();
        }
    }

    private void left() {
        stop(Outcome.LEFT, null);
    }

    private void givenUp() {
        stop(
                Outcome.TIMED_OUT,
                new ApiError(
                        ApiError.Kind.TIMED_OUT,
                        "the call took longer than %d min"
                                .formatted(limits.call().toMinutes())));
    }

    private void answered(HttpClientResponse head) {
        status = head.statusCode();
        if (ended) {
            return; // and the request was reset
        }
        if (status >= 400 && facts.others && RetryPlan.isTheProviders(status)) {
            elsewhere(Outcome.REFUSED);
            return;
        }
        if (status >= 400) {
            var now = Instant.now();
            var pause = retries.again(status, head.headers(), attempts, waited, now);
            pause.or(() -> RetryPlan.askedFor(status, head.headers(), now))
                    .ifPresent(wait -> waits.tell(facts.planned, wait));
            pause.ifPresentOrElse(this::sendAgain, () -> {
                forget();
                refused(head);
            });
            return;
        }
        forget();
        tellWho();
        var form = facts.form;
        translation = form == null ? null : form.translation(facts.planned, reader);
        var passing = new ModelAnswer(
                ctx,
                operation,
                facts.came,
                translation,
                head,
                reader,
                allowance,
                facts.hidesUsage,
                limits,
                room,
                facts.planned.workspaceId(),
                (outcome, why) -> end(outcome));
        answer = passing;
        tellPrice();
        passing.pass();
    }

    /** For agents that keep to a limit of their own. */
    private void tellPrice() {
        var price = facts.planned.chosen().price();
        if (price != null) {
            var counts = price.forPrompt(facts.planned.input());
            ctx.response()
                    .putHeader(
                            "X-Molecule-Price",
                            counts.in().toPlainString() + " " + counts.out().toPlainString());
        }
    }

    /** The provider's own words, but about its key, which is not the caller's and may stand in them. */
    private void refused(HttpClientResponse head) {
        if (status == 401 || status == 403) {
            var provider = facts.planned.chosen().provider();
            end(Outcome.REFUSED);
            refuse(new ApiError(
                    ApiError.Kind.BAD_GATEWAY,
                    "provider %s refused its key (%d): give the secret %s a valid one"
                            .formatted(provider.name(), status, provider.secret())));
            return;
        }
        var body = Buffer.buffer();
        Promise<Buffer> read = Promise.promise();
        head.exceptionHandler(read::tryFail)
                .endHandler(end -> read.tryComplete(body))
                .handler(chunk -> {
                    if (body.length() + chunk.length() > ERROR_MAX_BYTES) {
                        read.tryFail("too long");
                    } else {
                        body.appendBuffer(chunk);
                    }
                });
        head.resume();
        read.future()
                .timeout(ERROR_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                .otherwise(Buffer.buffer())
                .onSuccess(whole -> {
                    end(Outcome.REFUSED);
                    var response = ctx.response();
                    if (!response.ended() && !response.closed()) {
                        PassedHeaders.back(head, response.setStatusCode(status));
                        tellWho();
                        response.end(facts.form == null ? whole : translated(response, whole));
                    }
                });
    }

    private Buffer translated(HttpServerResponse response, Buffer whole) {
        response.putHeader("Content-Type", "application/json");
        String provider = facts.planned.chosen().provider().name();
        return ModelErrors.body(facts.came.protocol(), AnswerTranslation.error(provider, status, whole));
    }

    private void unanswered(Throwable failure) {
        if (ended) {
            return;
        }
        if (failure instanceof Unwell unwell && unwell.left() && !unwell.late() && resends()) {
            sendAgain(Duration.ZERO);
            return;
        }
        if (facts.others && !(failure instanceof Unwell unwell && unwell.late()) && isTheProviders(failure)) {
            elsewhere(failure instanceof Unwell unwell && unwell.left() ? Outcome.CUT : Outcome.UNREACHABLE);
            return;
        }
        if (failure instanceof Unwell unwell) {
            fail(unwell);
        } else {
            end(Outcome.UNREACHABLE);
            refuse(failure instanceof ApiError known ? known : ApiError.internal("internal error"));
        }
    }

    private void fail(Unwell unwell) {
        String name = facts.planned.chosen().provider().name();
        if (!unwell.left()) {
            end(Outcome.UNREACHABLE);
            refuse(new ApiError(
                    ApiError.Kind.UNAVAILABLE,
                    "provider %s cannot be reached: nothing was sent, so try again, or ask another one".formatted(name),
                    Map.of("retry_after", 2)));
        } else if (unwell.late()) {
            end(Outcome.TIMED_OUT);
            refuse(new ApiError(
                    ApiError.Kind.TIMED_OUT,
                    "provider %s did not begin to answer within %d s: ask for less, or for a stream"
                            .formatted(name, limits.firstByte().toSeconds())));
        } else {
            end(Outcome.CUT);
            refuse(new ApiError(
                    ApiError.Kind.BAD_GATEWAY,
                    "provider %s broke off before it answered: whether it did the work is not known".formatted(name)));
        }
    }

    /** A kept connection that its provider had given up breaks at once, and once. */
    private boolean resends() {
        return attempts == 1
                && System.nanoTime() - sentAtNanos < limits.resend().toNanos();
    }

    private static boolean isTheProviders(Throwable failure) {
        return failure instanceof Unwell
                || (failure instanceof ApiError error && error.kind() == ApiError.Kind.UNAVAILABLE);
    }

    private void tellWho() {
        var planned = facts.planned;
        String instead = planned.insteadOf();
        String model = planned.chosen().name();
        if (IN_A_HEADER.matcher(model).matches()) {
            ctx.response().putHeader(MODEL_HEADER, model);
        }
        if (instead != null && IN_A_HEADER.matcher(instead).matches()) {
            ctx.response().putHeader(INSTEAD_HEADER, instead);
        }
    }

    private void refuse(ApiError error) {
        tell(ctx, facts.came.protocol(), error);
    }

    /** An error of the door in the protocol's own shape. */
    static void tell(RoutingContext ctx, ModelProtocol protocol, ApiError error) {
        if (ctx.response().ended() || ctx.response().closed() || ctx.response().headWritten()) {
            return;
        }
        if (error.details().get("retry_after") instanceof Number seconds) {
            ctx.response().putHeader("Retry-After", String.valueOf(seconds.longValue()));
        }
        if (error.kind() == ApiError.Kind.BUDGET_EXCEEDED) {
            ctx.response().putHeader(BUDGET_HEADER, "exceeded");
        }
        Answers.bytes(ctx, error.kind().status(), ModelErrors.body(protocol, error));
    }

    /** Once. What is not to be waited for any more is reset. */
    private void end(Outcome outcome) {
        if (ended) {
            return;
        }
        ended = true;
        forget();
        var sent = upstream;
        if (outcome != Outcome.OK && sent != null) {
            sent.reset();
        }
        allowance.settled().onComplete(known -> {
            var row = row(outcome);
            span.end(row.usage(), errorOf(outcome));
            ledger.write(row);
            if (outcome == Outcome.OK && operation.billed()) {
                ledger.answered(facts.planned);
            }
            if (translation != null) {
                translation.release();
            }
            over.complete(row.usage());
        });
    }

    private @Nullable String errorOf(Outcome outcome) {
        return switch (outcome) {
            case OK -> null;
            case REFUSED -> String.valueOf(status);
            case UNREACHABLE, CUT, LEFT, STOPPED, TIMED_OUT -> outcome.wireName();
        };
    }

    private ModelCallRow row(Outcome outcome) {
        boolean free = outcome == Outcome.REFUSED || outcome == Outcome.UNREACHABLE || !operation.billed();
        var passing = answer;
        if (passing != null) {
            passing.read(outcome == Outcome.OK);
        }
        var usage = free ? ModelUsage.NONE : usage(outcome);
        var price = facts.planned.chosen().price();
        Long cost = free ? Long.valueOf(0) : price == null ? null : Long.valueOf(price.micros(usage));
        return new ModelCallRow(
                facts.planned.id(),
                facts.planned.workspaceId(),
                facts.planned.context(),
                facts.planned.traceId(),
                facts.planned.chosen().provider().name(),
                facts.planned.chosen().model(),
                operation,
                usage,
                cost,
                !free && !reader.complete(),
                outcome,
                status,
                facts.planned.startedAt(),
                Duration.ofNanos(System.nanoTime() - startNanos),
                allowance.teams(),
                Math.max(1, attempts),
                facts.planned.insteadOf(),
                facts.planned.behalf());
    }

    /**
     * Where the end of an answer was not seen: of one that comes whole all that it may write counts, because its provider writes it whoever
     * waits; of a stream whose model may have thought unseen as much as it may have thought meanwhile.
     */
    private ModelUsage usage(Outcome outcome) {
        var seen = reader.usage(facts.planned.input());
        if (outcome == Outcome.OK || upstream == null || reader.complete()) {
            return seen;
        }
        long promised = Math.min(allowance.tokens(), ModelDemand.ANSWER_MAX);
        long most;
        if (!facts.planned.streams()) {
            most = allowance.limited() ? promised : facts.unseen;
        } else if (allowance.outputMax() == null) {
            most = 0;
        } else {
            long millis = Duration.ofNanos(System.nanoTime() - sentAtNanos).toMillis();
            most = Math.min(promised, millis * THOUGHTS_A_SECOND / 1_000);
        }
        long out = Math.max(seen.out(), most);
        return new ModelUsage(
                seen.in(), seen.cacheRead(), seen.cacheWrite(), seen.cacheWriteHour(), out, seen.reasoning());
    }
}
