package ai.molecule.proxy.a2a;

import ai.molecule.common.net.SafeDialer;
import ai.molecule.proxy.activity.BackPressure;
import ai.molecule.proxy.routes.RouteBook;
import ai.molecule.proxy.streams.Streams;
import io.vertx.core.Vertx;

/** What every {@link Forward} works with. */
record Forwarding(
        Vertx vertx,
        SafeDialer dialer,
        BackPressure pressure,
        RouteBook routes,
        CallRecords records,
        Unreachable unreachable,
        Streams streams,
        A2aLimits limits,
        Underway underway) {}
