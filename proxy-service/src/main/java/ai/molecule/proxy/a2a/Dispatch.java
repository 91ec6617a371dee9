package ai.molecule.proxy.a2a;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.ResolveRoute.Route;
import ai.molecule.common.json.Json;
import ai.molecule.common.workspaces.Delivery;
import ai.molecule.proxy.activity.ActivityWriter;
import ai.molecule.proxy.streams.Relay;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Takes to agents what the platform carries by itself: delegations and what waited for a busy agent. The same rules and records
 * as for a message that somebody waits for, except that the caller was proven when the message was accepted.
 */
public final class Dispatch {

    /** What is said of messages to and from a workspace that a person took out of everything. */
    public static final String QUARANTINED = Admission.QUARANTINED;

    private static final int OK = 200;
    private static final Duration LOOKUP = Duration.ofSeconds(10);

    private final Admission admission;
    private final ActivityWriter activity;
    private final Mailbox mailbox;
    private final Forwarding forwarding;
    private final Supplier<UUID> ids;

    Dispatch(Admission admission, ActivityWriter activity, Mailbox mailbox, Forwarding forwarding, Supplier<UUID> ids) {
        this.admission = admission;
        this.activity = activity;
        this.mailbox = mailbox;
        this.forwarding = forwarding;
        this.ids = ids;
    }

    /**
     * Sends at most once.
     *
     * @param wait how long an answer is of use
     * @param beforeSending asked when the connection stands; nothing is sent before it completes, nor when it fails
     * @return fails with an {@link ApiError}; {@link #mayHaveArrived} tells whether the agent may have run the message
     */
    public Future<Reply> send(Parcel parcel, Duration wait, Supplier<Future<Void>> beforeSending) {
        return admission.admit(parcel.target(), senderOf(parcel)).compose(admitted -> {
            var exchange = Exchange.of(admitted, Envelope.normalise(parcel.body(), ids), parcel.rowId());
            if (admitted.route().delivery() == Delivery.POLL) {
                return Future.succeededFuture(new Reply.Kept(mailbox.messageFor(exchange)));
            }
            var manner = new Manner(
                    beforeSending,
                    parcel.rowId() == null,
                    answer -> Future.succeededFuture(AgentErrors.mapped(answer)));
            var headers = AgentHeaders.of(parcel.headers(), admitted);
            return activity.pressure()
                    .room()
                    .compose(room -> {
                        forwarding.underway().requireRoom(exchange);
                        return new Forward(forwarding, exchange, headers, admitted.route(), manner).answerWithin(wait);
                    })
                    .compose(Dispatch::read);
        });
    }

    /** What {@code beforeSending} fails with when another replica goes on: then nothing is written down about this try. */
    public static ApiError superseded() {
        return ApiError.unavailable(Forward.SUPERSEDED);
    }

    /** Whether a person took the workspace out of everything; false while nobody can tell. */
    public Future<Boolean> isQuarantined(UUID target) {
        return forwarding.routes().resolve(target, null).map(Route::quarantined).otherwise(false);
    }

    /** Records an answer that was fetched later exactly like one that came at once. */
    public Future<Void> tell(Parcel parcel, byte[] body) {
        return exchange(parcel).map(exchange -> {
            forwarding.records().answered(exchange, new AgentAnswer.Whole(OK, 1, Buffer.buffer(body)));
            return null;
        });
    }

    /** Records that the platform has stopped trying to deliver a message. */
    public Future<Void> gaveUp(Parcel parcel, String why) {
        return exchange(parcel).map(exchange -> {
            forwarding.records().gaveUp(exchange, why);
            return null;
        });
    }

    private Future<Exchange> exchange(Parcel parcel) {
        return forwarding.routes().resolve(parcel.target(), null).map(route -> {
            var admitted = new Admission.Admitted(parcel.target(), senderOf(parcel), route);
            return Exchange.of(admitted, Envelope.normalise(parcel.body(), ids), parcel.rowId());
        });
    }

    private static Sender senderOf(Parcel parcel) {
        var caller = parcel.caller();
        return caller == null ? Sender.CANVAS : new Sender(caller, caller.equals(parcel.target()));
    }

    /** Whether the message may have been run by the agent although no answer came. */
    public static boolean mayHaveArrived(Throwable failure) {
        return failure instanceof ApiError error
                && (error.details().containsKey("delivered") || error.details().containsKey("delivery_confirmed"));
    }

    /** Whether the call was let go because its task waits for a person, and is kept for that. */
    public static boolean wasLetGo(Throwable failure) {
        return failure instanceof ApiError error && error.details().containsKey(Unreachable.LET_GO);
    }

    /** Keeps what an answer that came another way says of its task. */
    public Future<Void> heard(UUID target, @Nullable String messageId, byte[] answer) {
        return forwarding.records().watch().answered(new TaskWatch.Answered(target, messageId, null, answer));
    }

    /** Calls of this replica at those agents. */
    public List<CallUnderWay> underWayAt(Set<UUID> targets) {
        return Stream.concat(
                        forwarding.underway().at(targets).stream(),
                        forwarding.streams().at(targets).stream().map(relay -> new StreamUnderWay(forwarding, relay)))
                .toList();
    }

    /** Agents that calls of this replica are at. */
    public Set<UUID> targetsUnderWay() {
        Set<UUID> targets = new HashSet<>(forwarding.underway().targets());
        targets.addAll(forwarding.streams().targets());
        return targets;
    }

    /** Asks the agent what became of a message. Changes nothing there; never fails. */
    public Future<Found> lookUp(UUID target, String messageId) {
        var params = Json.object().put("messageId", messageId);
        var question = Json.object()
                .put("jsonrpc", "2.0")
                .put("id", ids.get().toString())
                .put("method", "molecule/tasks/byMessage");
        question.set("params", params);
        var headers = Map.of("Content-Type", "application/json", "X-Molecule-Target", target.toString());
        return forwarding
                .routes()
                .resolve(target, null)
                .map(Admission::withUrl)
                .compose(route -> AgentCall.start(
                                forwarding,
                                forwarding.limits().withUpstream(LOOKUP),
                                route,
                                headers,
                                Json.buffer(question).getBytes(),
                                Future::succeededFuture)
                        .answer())
                .map(answer -> found(target, answer))
                .otherwise(new Found.NotReached());
    }

    private Found found(UUID target, AgentAnswer answer) {
        return switch (answer) {
            case AgentAnswer.Whole whole
            when whole.status() < 300 -> Found.of(whole.body().getBytes());
            case AgentAnswer.Whole whole
            when whole.status() == Forward.MISDIRECTED -> {
                forwarding.routes().drop(target);
                yield new Found.NotReached();
            }
            case AgentAnswer.Whole whole when Forward.isBusy(whole) -> new Found.NotReached();
            case AgentAnswer.Whole other -> new Found.Unsupported();
            case AgentAnswer.Events events -> {
                events.response().request().reset();
                yield new Found.Unsupported();
            }
        };
    }

    private static Future<Reply> read(A2aAnswer answer) {
        return switch (answer) {
            case A2aAnswer.Whole whole
            when whole.status() < 300 ->
                Future.succeededFuture(new Reply.Answered(whole.body().getBytes()));
            case A2aAnswer.Whole whole when Forward.isBusy(whole.status()) -> Future.succeededFuture(new Reply.Busy());
            case A2aAnswer.Whole whole ->
                Future.succeededFuture(new Reply.Refused(whole.status(), errorIn(whole.body())));
            case A2aAnswer.Stream stream -> stream.events().drain().compose(Dispatch::lastOf);
            case A2aAnswer.NoStream none -> throw new IllegalStateException("nobody came back to a stream here");
        };
    }

    private static Future<Reply> lastOf(Relay.End end) {
        String interruption = end.handedOver() ? "the platform stopped" : end.interruption();
        return interruption == null
                ? Future.succeededFuture(new Reply.Answered(end.lastData()))
                : Future.failedFuture(new ApiError(ApiError.Kind.BAD_GATEWAY, interruption, Map.of("delivered", true)));
    }

    private static String errorIn(Buffer body) {
        return Json.stored(body.toString(StandardCharsets.UTF_8)).path("error").asText("agent error");
    }
}
