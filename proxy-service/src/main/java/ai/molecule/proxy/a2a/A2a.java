package ai.molecule.proxy.a2a;

import ai.molecule.common.auth.Guards;
import ai.molecule.common.config.Door;
import ai.molecule.common.net.SafeDialer;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.proxy.activity.ActivityWriter;
import ai.molecule.proxy.activity.OutboundMarks;
import ai.molecule.proxy.activity.RowIds;
import ai.molecule.proxy.routes.RouteBook;
import ai.molecule.proxy.streams.AgentLine;
import ai.molecule.proxy.streams.Streams;
import ai.molecule.proxy.tasks.TaskLog;
import java.time.Clock;
import java.util.UUID;

/**
 * The parts of this folder, put together.
 *
 * @param dispatch for what the platform sends by itself
 * @param system for what the platform has to say
 * @param line for streams that outlived the replica that began them
 */
public record A2a(A2aRoutes routes, Dispatch dispatch, SystemMessages system, AgentLine line) {

    public static A2a of(
            ServiceContext service,
            Guards guards,
            SafeDialer dialer,
            ActivityWriter activity,
            Replies replies,
            BusyQueue queue,
            TaskWatch watch,
            TaskLog tasks,
            Streams streams,
            RowIds ids,
            A2aLimits limits) {
        var vertx = service.vertx();
        var forwarding = forwarding(service, dialer, activity, streams, watch, tasks, ids, limits);
        var admission = new Admission(
                guards, forwarding.routes(), dialer, service.config().isOpen(Door.MESSAGES));
        var mailbox = new Mailbox(activity, forwarding.records());
        var messages =
                new A2aService(admission, activity, mailbox, forwarding, replies, queue, watch, UUID::randomUUID);
        var followed = new TaskService(
                messages, admission, streams, new AgentCards(vertx, dialer), new TaskLookup(forwarding));
        return new A2a(
                new A2aRoutes(messages, followed),
                new Dispatch(admission, activity, mailbox, forwarding, UUID::randomUUID),
                new SystemMessages(admission, activity, forwarding, UUID::randomUUID),
                new Resumption(forwarding));
    }

    private static Forwarding forwarding(
            ServiceContext service,
            SafeDialer dialer,
            ActivityWriter activity,
            Streams streams,
            TaskWatch watch,
            TaskLog tasks,
            RowIds ids,
            A2aLimits limits) {
        var vertx = service.vertx();
        var bus = service.bus();
        var clock = Clock.systemUTC();
        var routes = new RouteBook(bus, System::nanoTime);
        var marks = new OutboundMarks(
                vertx, bus, service.reconcilers().add("last-outbound", "tells the registry who sent messages"));
        var afterAnswer = new AfterAnswer((time, then) -> vertx.setTimer(time.toMillis(), now -> then.run()));
        var records = new CallRecords(bus, activity, marks, watch, tasks, afterAnswer, ids, clock);
        var unreachable = new Unreachable(bus, limits.engineWait());
        return new Forwarding(
                vertx,
                dialer,
                activity.pressure(),
                routes,
                records,
                unreachable,
                streams,
                limits,
                new Underway(limits.callsMaxBytes()));
    }
}
