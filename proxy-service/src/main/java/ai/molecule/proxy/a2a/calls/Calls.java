package ai.molecule.proxy.a2a.calls;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.ResolveRoute.Route;
import ai.molecule.common.net.SafeDialer;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.proxy.a2a.admission.Admission;
import ai.molecule.proxy.a2a.admission.Admission.Admitted;
import ai.molecule.proxy.activity.ActivityWriter;
import ai.molecule.proxy.activity.BackPressure;
import ai.molecule.proxy.activity.OutboundMarks;
import ai.molecule.proxy.activity.RowIds;
import ai.molecule.proxy.known.KnownTasks;
import ai.molecule.proxy.passports.PassportBook;
import ai.molecule.proxy.routes.RouteBook;
import ai.molecule.proxy.routes.Wakeups;
import ai.molecule.proxy.streams.Streams;
import ai.molecule.proxy.streams.TaskFollower;
import ai.molecule.proxy.tasks.TaskLog;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/** Calls to agents: dialled, bounded in number and size, recorded, and going on without whoever waited. To be used on one event loop. */
public final class Calls {

    private final CallParts parts;

    private Calls(CallParts parts) {
        this.parts = parts;
    }

    public static Calls of(
            ServiceContext service,
            SafeDialer dialer,
            ActivityWriter activity,
            TaskWatch watch,
            TaskLog tasks,
            KnownTasks known,
            Streams streams,
            RowIds ids,
            A2aLimits limits) {
        var vertx = service.vertx();
        var bus = service.bus();
        var marks = new OutboundMarks(
                vertx, bus, service.reconcilers().add("last-outbound", "tells the registry who sent messages"));
        var afterAnswer = new AfterAnswer(
                (time, then) -> vertx.setTimer(Math.max(1, time.toMillis()), now -> then.run()), System::nanoTime);
        var routes = new RouteBook(bus, System::nanoTime);
        return new Calls(new CallParts(
                vertx,
                dialer,
                activity.pressure(),
                routes,
                new Wakeups(vertx, bus, routes),
                new PairTokenBook(bus, System::nanoTime),
                new PassportBook(bus),
                new CallRecords(
                        bus,
                        activity,
                        marks,
                        watch,
                        new OutlivingWatch(vertx, watch::answered),
                        tasks,
                        known,
                        afterAnswer,
                        ids,
                        Clock.systemUTC()),
                new Unreachable(bus, limits.engineWait()),
                streams,
                limits,
                new InFlightCalls(limits.callsMaxBytes())));
    }

    public RouteBook routes() {
        return parts.routes();
    }

    public Wakeups wakeups() {
        return parts.wakeups();
    }

    /** Where an agent is, woken if it sleeps; fails where it has no address. */
    public Future<Route> reach(UUID target) {
        return parts.wakeups().reach(target, parts.limits().comeBack()).map(Admission::withUrl);
    }

    public PassportBook passports() {
        return parts.passports();
    }

    public CallRecords records() {
        return parts.records();
    }

    public A2aLimits limits() {
        return parts.limits();
    }

    /** For streams that outlived the replica that began them. */
    public TaskFollower line() {
        return new Resumption(parts);
    }

    /** Throws UNAVAILABLE where a message of that length finds no room; asked before its body is read, so the target may be none. */
    public void requireRoom(String target, long length) {
        parts.inFlight().requireRoom(target, length);
    }

    /** Throws UNAVAILABLE where a message finds no room among those in flight. */
    public void requireRoom(MessageExchange exchange) {
        parts.inFlight().requireRoom(exchange);
    }

    /** Asked before a call is made: what it leaves behind has to be written down. */
    public BackPressure pressure() {
        return parts.pressure();
    }

    /** A message that was read and is not at its agent yet; what is answered gives its place back, and may be run again. */
    public Runnable arrived(byte[] body) {
        return parts.inFlight().arrived(body);
    }

    /**
     * Sends a message, and answers within {@code wait}; the call goes on without the sender.
     *
     * @param passedOn headers of the sender that the agent gets as they are
     * @return fails with an {@link ApiError}; {@link #mayHaveArrived} tells whether the agent may have run the message
     */
    public Future<A2aAnswer> forward(
            MessageExchange exchange,
            Map<String, String> passedOn,
            Admitted admitted,
            CallPolicy policy,
            Duration wait) {
        return new ForwardedMessage(parts, exchange, AgentHeaders.of(passedOn, admitted), admitted.route(), policy)
                .answerWithin(wait);
    }

    /** Asks an agent something that no sender waits for and nothing is written down about. */
    public Future<AgentAnswer> ask(Route route, Map<String, String> headers, byte[] question, Duration longest) {
        return AgentCall.ask(parts, longest, route, headers, question);
    }

    /** In flight from this replica to those agents. */
    public List<InFlightCall> at(Set<UUID> targets) {
        return Stream.concat(
                        parts.inFlight().at(targets).stream(),
                        parts.streams().at(targets).stream().map(relay -> new InFlightStream(parts, relay)))
                .toList();
    }

    /** Agents that calls of this replica are at. */
    public Set<UUID> targets() {
        Set<UUID> targets = new HashSet<>(parts.inFlight().targets());
        targets.addAll(parts.streams().targets());
        return targets;
    }

    /** Ids of the tasks that calls of this replica are about. */
    public Set<UUID> tasks() {
        return parts.inFlight().tasks();
    }

    /** Gives up every call still at its agent; each is recorded. */
    public void stop() {
        parts.records().stop();
        parts.inFlight().stop();
    }

    /** What {@code beforeSending} fails with when another replica goes on: then nothing is written down about this try. */
    public static ApiError superseded() {
        return ApiError.unavailable(ForwardedMessage.SUPERSEDED);
    }

    /** Whether the message may have been run by the agent although no answer came. */
    public static boolean mayHaveArrived(Throwable failure) {
        return failure instanceof ApiError error
                && (error.details().containsKey("delivered") || error.details().containsKey("delivery_confirmed"));
    }

    /** Whether the agent may have ended while the call was at it; then its task may go on once it is back. */
    public static boolean wasCut(Throwable failure) {
        return failure.getCause() instanceof AgentFailure cause && cause.mayBeItsEnd();
    }

    /** Whether the call was let go because its task waits for a person, and is kept for that. */
    public static boolean wasLetGo(Throwable failure) {
        return failure instanceof ApiError error && error.details().containsKey(Unreachable.LET_GO);
    }
}
