package ai.molecule.proxy.models;

import ai.molecule.common.ApiError;
import ai.molecule.common.http.Connections;
import ai.molecule.proxy.frontdoor.SlowReader;
import ai.molecule.proxy.models.ModelCallRow.Outcome;
import ai.molecule.proxy.models.translation.AnswerTranslation;
import ai.molecule.proxy.streams.EventRoom;
import ai.molecule.proxy.streams.SseSplitter;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Locale;
import java.util.UUID;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A provider's answer on its way to the caller: as it comes, with back-pressure, a stream of events in whole events. The usage is read as
 * it passes. Where the caller speaks another protocol each event is translated, and what comes whole once it is there. A stream that may
 * write no more ends with an error in its caller's protocol, and so does one that breaks off. To be used on one event loop.
 */
final class ModelAnswer implements EventRoom.Holder {

    private static final String EVENT_STREAM = "text/event-stream";
    private static final int LOOKS_PER_SILENCE = 4;

    private final RoutingContext ctx;
    private final ModelOperation operation;
    private final ModelOperation came;
    private final @Nullable AnswerTranslation translation;
    private final HttpClientResponse answer;
    private final HttpServerResponse response;
    private final UsageReader reader;
    private final Allowance allowance;
    private final boolean hidesUsage;
    private final BiConsumer<Outcome, @Nullable ApiError> ended;
    private final ChunkOutlet outlet;
    private final SlowReader slowReader;
    private final boolean events;
    private final boolean slices;
    private final SseSplitter splitter;
    private final WholeAnswer whole = new WholeAnswer();
    private final ArrayDeque<Buffer> held = new ArrayDeque<>();
    private final Runnable moneyAnswered = this::moneyAnswered;
    private final Duration idle;
    private final EventRoom room;
    private final UUID workspace;
    private long timer = -1;
    private long heardAtNanos = System.nanoTime();
    private boolean waitsForMoney;
    private boolean paused;
    private boolean over;
    private boolean partly;

    /**
     * @param came as which the caller asked, whose errors it reads
     * @param translation null for what passes as it is
     * @param ended is told once how it ended; with an error when the caller could still be told
     */
    ModelAnswer(
            RoutingContext ctx,
            ModelOperation operation,
            ModelOperation came,
            @Nullable AnswerTranslation translation,
            HttpClientResponse answer,
            UsageReader reader,
            Allowance allowance,
            boolean hidesUsage,
            ModelLimits limits,
            EventRoom room,
            UUID workspace,
            BiConsumer<Outcome, @Nullable ApiError> ended) {
        this.ctx = ctx;
        this.operation = operation;
        this.came = came;
        this.translation = translation;
        this.answer = answer;
        this.response = ctx.response();
        this.outlet = new ChunkOutlet(ctx.request());
        this.reader = reader;
        this.allowance = allowance;
        this.hidesUsage = hidesUsage;
        this.ended = ended;
        this.room = room;
        this.workspace = workspace;
        this.idle = limits.idle();
        this.splitter = new SseSplitter(limits.eventMaxBytes());
        String type = answer.getHeader("Content-Type");
        this.events = type != null && type.toLowerCase(Locale.ROOT).startsWith(EVENT_STREAM);
        this.slices = !events && translation == null && allowance.limited() && allowance.outputMax() == null;
        this.slowReader = new SlowReader(
                ctx.vertx(),
                SlowReader.PATIENCE,
                () -> Connections.cut(ctx.request().connection()));
    }

    void pass() {
        response.setStatusCode(answer.statusCode());
        PassedHeaders.back(answer, response);
        String length = answer.getHeader("Content-Length");
        if (length != null && !events && translation == null) {
            response.putHeader("Content-Length", length);
        } else {
            response.setChunked(events || translation == null);
        }
        if (events) {
            response.putHeader("X-Accel-Buffering", "no"); // nginx would hold events back
        }
        response.drainHandler(room -> {
            slowReader.reads();
            flow();
        });
        if (translation != null && translation.streams() != events) {
            breaksOff(
                    Outcome.CUT,
                    "answered %s where %s was asked for"
                            .formatted(events ? "a stream" : "at once", events ? "one answer" : "a stream"));
            return;
        }
        answer.exceptionHandler(broken -> breaksOff(Outcome.CUT, "broke off in the middle of its answer"));
        answer.endHandler(end -> ends());
        answer.handler(chunk -> {
            heardAtNanos = System.nanoTime();
            if (!over) {
                if (events) {
                    split(chunk);
                } else {
                    whole.feed(chunk);
                    keepOrWrite(chunk);
                    count();
                }
                flow();
            }
        });
        timer = ctx.vertx().setPeriodic(Math.max(1, idle.toMillis() / LOOKS_PER_SILENCE), look -> {
            boolean silent = System.nanoTime() - heardAtNanos > idle.toNanos();
            if (silent && !response.writeQueueFull() && !waitsForMoney) {
                breaksOff(
                        Outcome.TIMED_OUT,
                        "was silent for %d s in the middle of its answer".formatted(idle.toSeconds()));
            }
        });
        answer.resume();
    }

    /** The caller left, or the call took too long, or the proxy ends: nothing more is passed. */
    void stop(@Nullable ApiError why) {
        if (!over) {
            finish();
            if (why != null) {
                tellLast(why);
            }
        }
    }

    /** What is known of the usage, whatever becomes of the answer. */
    void read(boolean complete) {
        if (!events) {
            reader.whole(complete ? whole.usage() : null, operation == ModelOperation.EMBEDDINGS ? 0 : whole.bytes());
        }
    }

    private void keepOrWrite(Buffer chunk) {
        if (translation == null) {
            response.write(chunk);
            return;
        }
        try {
            translation.keep(chunk);
        } catch (ApiError tooMuch) {
            breaksOff(Outcome.CUT, tooMuch);
        }
    }

    /** A stream was asked for, and is paid for as one, but no events come: its bytes are all that is known of it. */
    private void count() {
        if (over || !slices) {
            return;
        }
        long written = whole.bytes() / UsageReader.BYTES_PER_TOKEN;
        allowance.wrote(written, moneyAnswered);
        waitsForMoney = allowance.overdrawn(written);
        if (waitsForMoney && allowance.exhausted()) {
            stopped();
        }
    }

    private void split(Buffer chunk) {
        if (!passedWhole(chunk)) {
            splitUp(chunk);
        }
    }

    /** Nearly all of what comes is whole events that are paid for and tell nothing to be known or hidden: they go on as they came, at once. */
    private boolean passedWhole(Buffer chunk) {
        if (translation != null || chunk.length() == 0 || !held.isEmpty() || !splitter.isBetweenEvents()) {
            return false;
        }
        byte[] bytes = chunk.getBytes();
        if (hidesUsage && HiddenUsage.isNamedIn(bytes)) {
            return false;
        }
        int tokens = reader.tokensIn(bytes);
        if (tokens == WrittenText.UNKNOWN || allowance.overdrawn(reader.written() + tokens)) {
            return false;
        }
        reader.skimmed(tokens);
        outlet.pass(chunk, bytes);
        allowance.wrote(reader.written(), moneyAnswered);
        return true;
    }

    private void splitUp(Buffer chunk) {
        boolean fits = splitter.feed(chunk, held::add);
        pump();
        if (!fits && !over) {
            breaksOff(Outcome.CUT, "sent an event larger than is passed on");
        } else if (!over && (partly || splitter.pendingBytes() > 0)) {
            partly = splitter.pendingBytes() > 0;
            room.changed(this);
        }
    }

    /** Passes what is paid for on; what is not waits here, at most the events of one chunk, until it is known whether there is money. */
    private void pump() {
        Buffer out = null;
        while (!held.isEmpty() && !allowance.overdrawn(reader.written())) {
            Buffer passed;
            try {
                passed = take(held.remove());
            } catch (ApiError notTranslated) {
                held.clear();
                if (out != null) {
                    outlet.write(out);
                }
                breaksOff(Outcome.CUT, notTranslated);
                return;
            }
            if (passed != null) {
                out = out == null ? passed : out.appendBuffer(passed); // which is nobody else's
            }
            allowance.wrote(reader.written(), moneyAnswered);
        }
        if (out != null && !over) {
            outlet.write(out);
        }
        waitsForMoney = !held.isEmpty();
        if (waitsForMoney) {
            allowance.wrote(reader.written(), moneyAnswered);
        }
        if (waitsForMoney && allowance.exhausted() && !over) {
            stopped();
        }
    }

    /** What of it goes on; null for nothing. */
    private @Nullable Buffer take(Buffer event) {
        int tokens = translation == null ? reader.tokensIn(event.getBytes()) : WrittenText.UNKNOWN;
        if (tokens != WrittenText.UNKNOWN) {
            reader.skimmed(tokens);
            return hidesUsage ? HiddenUsage.without(event) : event;
        }
        var data = EventData.of(event);
        if (data != null) {
            reader.event(data);
        }
        if (translation != null) {
            var translated = translation.event(event, data);
            return translated.length() == 0 ? null : translated;
        }
        return hidesUsage && data != null ? HiddenUsage.without(event) : event;
    }

    private void moneyAnswered() {
        heardAtNanos = System.nanoTime();
        if (!over && waitsForMoney) {
            if (events) {
                pump();
            } else {
                count();
            }
            flow();
        }
    }

    private void stopped() {
        var error = Ledger.stopped();
        finish();
        tellLast(error);
        ended.accept(Outcome.STOPPED, error);
    }

    private void flow() {
        if (over) {
            return;
        }
        boolean full = response.writeQueueFull();
        if (full) {
            slowReader.waits();
        }
        boolean waits = full || waitsForMoney;
        if (waits != paused) { // each of these goes through the client's queue, which is not for every chunk
            paused = waits;
            if (waits) {
                answer.pause();
            } else {
                answer.resume();
            }
        }
    }

    private void ends() {
        if (over) {
            return;
        }
        Buffer last;
        try {
            last = translation == null ? events ? splitter.rest() : Buffer.buffer() : lastOf(translation);
        } catch (ApiError notTranslated) {
            breaksOff(Outcome.CUT, notTranslated);
            return;
        }
        finish();
        if (!response.ended() && !response.closed()) {
            response.end(last);
        }
        ended.accept(Outcome.OK, null);
    }

    private Buffer lastOf(AnswerTranslation translated) {
        if (!events) {
            read(true);
            return translated.whole();
        }
        var rest = splitter.rest();
        var out = rest.length() == 0 ? null : take(rest);
        return (out == null ? Buffer.buffer() : out).appendBuffer(translated.ends());
    }

    private void breaksOff(Outcome outcome, String what) {
        breaksOff(outcome, new ApiError(ApiError.Kind.BAD_GATEWAY, "the provider " + what));
    }

    private void breaksOff(Outcome outcome, ApiError error) {
        if (over) {
            return;
        }
        finish();
        tellLast(error);
        ended.accept(outcome, error);
    }

    @Override
    public UUID target() {
        return workspace;
    }

    @Override
    public long heldBytes() {
        return over ? 0 : splitter.pendingBytes();
    }

    @Override
    public void makeRoom() {
        breaksOff(Outcome.CUT, "sent an event too large for the room that is left");
    }

    private void finish() {
        over = true;
        room.left(this);
        slowReader.reads();
        if (timer >= 0) {
            ctx.vertx().cancelTimer(timer);
        }
    }

    /** After a whole event; what has no events cannot say it, so it is cut. */
    private void tellLast(ApiError error) {
        if (response.ended() || response.closed()) {
            return;
        }
        if (translation != null && !response.headWritten()) {
            ModelCall.tell(ctx, came.protocol(), error);
        } else if (events) {
            response.end(ModelErrors.lastEvent(came, error));
        } else {
            response.reset();
        }
    }
}
