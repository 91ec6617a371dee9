package ai.molecule.proxy.a2a.calls;

import ai.molecule.common.activity.ActivityRow;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.events.LiveEvent;
import ai.molecule.common.json.Json;
import ai.molecule.common.tracing.TraceHeaders;
import ai.molecule.proxy.activity.ActivityWriter;
import ai.molecule.proxy.activity.OutboundMarks;
import ai.molecule.proxy.activity.RowIds;
import ai.molecule.proxy.json.JsonScanner;
import ai.molecule.proxy.json.Shape;
import ai.molecule.proxy.json.StorableJson;
import ai.molecule.proxy.known.KnownTask;
import ai.molecule.proxy.known.KnownTasks;
import ai.molecule.proxy.protocol.AnswerText;
import ai.molecule.proxy.protocol.Protocol;
import ai.molecule.proxy.protocol.Sighting;
import ai.molecule.proxy.protocol.TaskAnswer;
import ai.molecule.proxy.streams.Relay;
import ai.molecule.proxy.tasks.TaskLog;
import ai.molecule.proxy.tasks.TaskNote;
import ai.molecule.proxy.tasks.TaskWords;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.util.RawValue;
import io.vertx.core.Future;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a call leaves behind (docs/wire/proxy.md): the activity row; and for a canvas, once it has the answer
 * itself, the live {@code A2A_RESPONSE} and then the row's event, because it stops listening for the answer when it sees that.
 */
public final class CallRecords {

    private static final Logger LOGGER = LoggerFactory.getLogger(CallRecords.class);

    private static final Shape TOOL_TRACE = Shape.of("result.metadata.tool_trace");

    private final Bus bus;
    private final ActivityWriter activity;
    private final OutboundMarks outbound;
    private final TaskWatch watch;
    private final OutlivingWatch watches;
    private final TaskLog tasks;
    private final KnownTasks known;
    private final AfterAnswer afterAnswer;
    private final RowIds ids;
    private final Clock clock;

    CallRecords(
            Bus bus,
            ActivityWriter activity,
            OutboundMarks outbound,
            TaskWatch watch,
            OutlivingWatch watches,
            TaskLog tasks,
            KnownTasks known,
            AfterAnswer afterAnswer,
            RowIds ids,
            Clock clock) {
        this.bus = bus;
        this.activity = activity;
        this.outbound = outbound;
        this.watch = watch;
        this.watches = watches;
        this.tasks = tasks;
        this.known = known;
        this.afterAnswer = afterAnswer;
        this.ids = ids;
        this.clock = clock;
    }

    /** The message is on its way to the agent. */
    void began(MessageExchange exchange, Map<String, String> headers) {
        if (isTask(exchange)) {
            var envelope = exchange.envelope();
            tasks.note(new TaskNote.Begun(
                    exchange.taskId(),
                    exchange.target(),
                    exchange.sender().workspaceId(),
                    envelope.messageId(),
                    envelope.taskId(),
                    envelope.contextId(),
                    traceOf(headers.get(TraceHeaders.PARENT)),
                    TaskWords.asked(envelope.bytes()).words(),
                    clock.instant()));
        }
    }

    /** Its agent's task waits for a person, and the call is let go. */
    void waits(MessageExchange exchange, String taskId) {
        over(exchange, "waiting", taskId, new TaskWords("", null));
    }

    /** A question about a task, such as a cancel, begins none. */
    private static boolean isTask(MessageExchange exchange) {
        return exchange.sender().system() == null && exchange.envelope().messageId() != null;
    }

    private void over(MessageExchange exchange, String status, @Nullable String taskId, TaskWords said) {
        if (isTask(exchange)) {
            tasks.note(new TaskNote.Over(
                    exchange.taskId(),
                    exchange.target(),
                    exchange.sender().workspaceId(),
                    exchange.envelope().messageId(),
                    taskId,
                    status,
                    said.words(),
                    said.files(),
                    clock.instant()));
        }
    }

    /** An answer that asks is no end; any other ends the task that the message went on with, too. */
    private void over(MessageExchange exchange, boolean ok, byte[] answer, Function<JsonNode, TaskWords> said) {
        if (!isTask(exchange)) {
            return;
        }
        var asks = TaskAnswer.asking(answer).orElse(null);
        var read = read(answer);
        String status = asks != null ? "waiting" : status(ok, read);
        String taskId = asks == null ? exchange.envelope().taskId() : asks.taskId();
        over(exchange, status, taskId, said.apply(read));
    }

    private static String status(boolean ok, JsonNode answer) {
        if (ok && AnswerText.saysStopped(answer)) {
            return "stopped";
        }
        return ok && !AnswerText.saysFailed(answer) ? "ok" : "error";
    }

    private static JsonNode read(byte[] answer) {
        try {
            return Json.parse(answer);
        } catch (IOException notJson) {
            return MissingNode.getInstance();
        }
    }

    /** The second part of a traceparent. */
    private static @Nullable String traceOf(@Nullable String traceparent) {
        return traceparent == null || TraceHeaders.parent(traceparent) == null ? null : traceparent.substring(3, 35);
    }

    /** The agent answered whole. */
    public void answered(MessageExchange exchange, AgentAnswer.Whole answer) {
        byte[] body = answer.body().getBytes();
        var scanned = JsonScanner.scan(body, TOOL_TRACE);
        boolean good = answer.status() < 400;
        if (good) {
            delivered(exchange);
            watched(exchange, body);
            known(exchange, body);
        }
        var trace = scanned.map(found -> found.at(0)).map(span -> span.in(body)).orElse(null);
        write(
                exchange,
                row(
                        idOf(exchange),
                        exchange,
                        arrow(exchange),
                        good ? "ok" : "error",
                        null,
                        answer.durationMs(),
                        scanned.isPresent() ? StorableJson.of(body) : null,
                        trace == null ? null : StorableJson.of(trace.getBytes(StandardCharsets.UTF_8)),
                        null),
                good && scanned.isPresent() ? body : null);
        over(exchange, good, body, TaskWords::answered); // behind the row, in whose commit it goes
    }

    /**
     * A stream ended; its last event stands for the answer, and goes live when nobody read the stream. The row has the stream's
     * id, so that it is written once although a replica may die between writing it and saying that the stream has ended.
     */
    void streamed(UUID streamId, MessageExchange exchange, int durationMs, Relay.End end) {
        if (end.letGo()) {
            return; // it is written down when its end is known
        }
        byte[] last = end.lastData();
        boolean json = JsonScanner.isJson(last);
        delivered(exchange);
        watched(exchange, last);
        known(exchange, last);
        String interruption = end.interruption();
        write(
                exchange,
                row(
                        streamId,
                        exchange,
                        arrow(exchange),
                        interruption == null ? "ok" : "error",
                        interruption,
                        durationMs,
                        json ? StorableJson.of(last) : null,
                        null,
                        null),
                json && end.unread() ? last : null);
        over(exchange, end.interruption() == null, last, read -> TaskWords.streamed(end.heard(), last));
    }

    /** What an answer, or the last event of a stream, says of the agent's task. */
    private void known(MessageExchange exchange, byte[] answer) {
        Protocol.of(null, exchange.envelope().method())
                .flatMap(spoken -> spoken.sight(answer))
                .ifPresent(seen -> known(exchange, seen));
    }

    void known(MessageExchange exchange, Sighting seen) {
        KnownTask.of(exchange.target(), exchange.sender().workspaceId(), seen, clock.instant())
                .ifPresent(task -> known.note(task, isTask(exchange)));
    }

    /** The message's task ends here, and nobody goes after it. */
    public void unanswered(MessageExchange exchange, boolean mayHaveArrived, String why) {
        if (exchange.rowId() == null) { // else it is tried or asked for again
            over(exchange, mayHaveArrived ? "unknown" : "error", null, new TaskWords(why, null));
        }
    }

    /** No answer. One that was cut after the agent had accepted the message still counts as delivered. */
    void failed(MessageExchange exchange, int durationMs, String why, boolean deliveryConfirmed) {
        if (deliveryConfirmed) {
            delivered(exchange);
            add(ids.next(), exchange, arrow(exchange), "ok", null, durationMs);
            return;
        }
        add(ids.next(), exchange, failure(exchange, why), "error", why, durationMs);
    }

    /** It waited, and no further try is made. */
    public void gaveUp(MessageExchange exchange, String why) {
        over(exchange, "error", null, new TaskWords(why, null));
        add(idOf(exchange), exchange, failure(exchange, why), "error", why, 1);
    }

    /** The row of a message that the agent will fetch by itself. */
    public ActivityRow queued(MessageExchange exchange, String idempotencyKey) {
        return row(ids.next(), exchange, arrow(exchange), "ok", null, null, null, null, idempotencyKey);
    }

    public TaskWatch watch() {
        return watch;
    }

    private void watched(MessageExchange exchange, byte[] answer) {
        var envelope = exchange.envelope();
        watches.answered(new TaskWatch.Answered(exchange.target(), envelope.messageId(), envelope.taskId(), answer))
                .onFailure(lost -> LOGGER.atWarn()
                        .setCause(lost)
                        .addKeyValue("workspaceId", exchange.target())
                        .log("whether a task waits for a person is not kept"));
    }

    /** From now on nothing waits. */
    void stop() {
        watches.stop();
        afterAnswer.stop();
    }

    private void delivered(MessageExchange exchange) {
        var caller = exchange.sender().workspaceId();
        if (caller != null) {
            outbound.mark(caller);
        }
    }

    private void tellCanvas(MessageExchange exchange, byte[] answer, int durationMs) {
        var payload = Json.object();
        payload.putRawValue("response_body", new RawValue(onOneLine(answer)));
        payload.put("method", exchange.envelope().method()).put("duration_ms", durationMs);
        var waited = exchange.rowId();
        if (waited != null) {
            payload.put("queue_id", waited.toString());
        }
        new LiveEvent("A2A_RESPONSE", exchange.target(), clock.instant(), payload).publishOn(bus);
    }

    /** Takes line ends out of JSON, where they mean nothing, because in a stream they separate events. */
    private static String onOneLine(byte[] json) {
        return new String(json, StandardCharsets.UTF_8).replace('\n', ' ').replace('\r', ' ');
    }

    private void add(
            UUID id,
            MessageExchange exchange,
            String summary,
            String status,
            @Nullable String errorDetail,
            int durationMs) {
        var row = row(id, exchange, summary, status, errorDetail, durationMs, null, null, null);
        write(exchange, row, null);
    }

    /**
     * Leaves out what the platform itself sent: that is nobody's activity. The row is written at once; a canvas hears of it after it has the
     * answer, which goes live before.
     *
     * @param live the answer to show the canvas, null for none
     */
    private void write(MessageExchange exchange, ActivityRow row, byte @Nullable [] live) {
        if (exchange.sender().isCanvas()) {
            Integer took = row.durationMs();
            int durationMs = took == null ? 1 : took;
            activity.add(
                    row,
                    afterAnswer
                            .turn(exchange.written(), live == null ? 0 : live.length)
                            .onSuccess(turn -> {
                                if (live != null) {
                                    tellCanvas(exchange, live, durationMs);
                                }
                            }));
        } else if (exchange.sender().system() == null) {
            activity.add(row, Future.succeededFuture());
        }
    }

    private ActivityRow row(
            UUID id,
            MessageExchange exchange,
            String summary,
            String status,
            @Nullable String errorDetail,
            @Nullable Integer durationMs,
            @Nullable String responseBody,
            @Nullable String toolTrace,
            @Nullable String idempotencyKey) {
        return new ActivityRow(
                id,
                exchange.target(),
                "a2a_receive",
                exchange.sender().workspaceId(),
                exchange.target(),
                storable(exchange.envelope().method()),
                storable(summary),
                StorableJson.of(exchange.envelope().bytes()),
                responseBody,
                toolTrace,
                durationMs,
                status,
                errorDetail,
                idempotencyKey,
                null,
                clock.instant(),
                true,
                exchange.behalf());
    }

    /** Of the row that tells how it ended. */
    UUID idOf(MessageExchange exchange) {
        return exchange.taskId();
    }

    private static String failure(MessageExchange exchange, String why) {
        return "A2A request to %s failed: %s".formatted(exchange.targetName(), why);
    }

    private static String arrow(MessageExchange exchange) {
        return exchange.envelope().method() + " → " + exchange.targetName();
    }

    /** PostgreSQL's text has no NUL. */
    private static String storable(String text) {
        return text.replace('\0', '\ufffd');
    }
}
