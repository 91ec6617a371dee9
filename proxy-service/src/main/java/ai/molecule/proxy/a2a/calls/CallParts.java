package ai.molecule.proxy.a2a.calls;

import ai.molecule.common.net.SafeDialer;
import ai.molecule.proxy.activity.BackPressure;
import ai.molecule.proxy.passports.PassportBook;
import ai.molecule.proxy.routes.RouteBook;
import ai.molecule.proxy.routes.Wakeups;
import ai.molecule.proxy.streams.Streams;
import io.vertx.core.Vertx;

/** What every {@link ForwardedMessage} works with. */
record CallParts(
        Vertx vertx,
        SafeDialer dialer,
        BackPressure pressure,
        RouteBook routes,
        Wakeups wakeups,
        PairTokenBook tokens,
        PassportBook passports,
        CallRecords records,
        Unreachable unreachable,
        Streams streams,
        A2aLimits limits,
        InFlightCalls inFlight) {}
