package ai.molecule.proxy.a2a;

import ai.molecule.common.auth.Guards;
import ai.molecule.common.net.SafeDialer;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.proxy.activity.ActivityBuffer;
import ai.molecule.proxy.activity.OutboundMarks;
import ai.molecule.proxy.activity.RowIds;
import ai.molecule.proxy.routes.RouteBook;
import java.time.Clock;
import java.util.HashSet;
import java.util.UUID;
import java.util.random.RandomGenerator;

/**
 * The parts of this folder, put together.
 *
 * @param dispatch for what the platform sends by itself
 */
public record A2a(A2aRoutes routes, Dispatch dispatch) {

    public static A2a of(
            ServiceContext service,
            Guards guards,
            SafeDialer dialer,
            ActivityBuffer activity,
            Replies replies,
            BusyQueue queue,
            A2aLimits limits) {
        var vertx = service.vertx();
        var bus = service.bus();
        var clock = Clock.systemUTC();
        var routes = new RouteBook(bus, System::nanoTime);
        var random = RandomGenerator.getDefault(); // row ids need be unique, not secret
        var records = new CallRecords(bus, activity, new OutboundMarks(vertx, bus), new RowIds(clock, random), clock);
        var forwarding = new Forwarding(
                vertx, dialer, routes, records, new Unreachable(bus, limits.engineWait()), limits, new HashSet<>());
        var admission = new Admission(guards, routes, dialer);
        var mailbox = new Mailbox(bus, records);
        return new A2a(
                new A2aRoutes(
                        new A2aService(admission, activity, mailbox, forwarding, replies, queue, UUID::randomUUID)),
                new Dispatch(admission, activity, mailbox, forwarding, UUID::randomUUID));
    }
}
