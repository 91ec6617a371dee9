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

/** Puts the parts of this folder together. */
public final class A2a {

    private A2a() {}

    public static A2aRoutes routes(
            ServiceContext service, Guards guards, SafeDialer dialer, ActivityBuffer activity, A2aLimits limits) {
        var vertx = service.vertx();
        var bus = service.bus();
        var clock = Clock.systemUTC();
        var routes = new RouteBook(bus, System::nanoTime);
        var random = RandomGenerator.getDefault(); // row ids need be unique, not secret
        var records = new CallRecords(bus, activity, new OutboundMarks(vertx, bus), new RowIds(clock, random), clock);
        var forwarding = new Forwarding(
                vertx, dialer, routes, records, new Unreachable(bus, limits.engineWait()), limits, new HashSet<>());
        return new A2aRoutes(new A2aService(
                new Admission(guards, routes, dialer),
                activity,
                new Mailbox(bus, records),
                forwarding,
                UUID::randomUUID));
    }
}
