package ai.molecule.common.bus;

import ai.molecule.common.ApiError;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.vertx.core.AsyncResult;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** {@code molecule_bus_calls_seconds}: how long the calls to each contract took, by how they ended. */
final class CallTimes {

    /** @param outcome {@code ok}, or the kind of error in lower case */
    private record Series(String contract, String outcome) {}

    private final MeterRegistry meters;
    private final Map<Series, Timer> timers = new ConcurrentHashMap<>();

    CallTimes(MeterRegistry meters) {
        this.meters = meters;
    }

    void record(String contract, AsyncResult<?> call, long nanos) {
        String outcome = call.succeeded() ? "ok" : "internal";
        if (call.cause() instanceof ApiError refused) {
            outcome = refused.kind().name().toLowerCase(Locale.ROOT);
        }
        timers.computeIfAbsent(new Series(contract, outcome), this::timer).record(nanos, TimeUnit.NANOSECONDS);
    }

    private Timer timer(Series series) {
        return Timer.builder("molecule.bus.calls")
                .tag("contract", series.contract)
                .tag("outcome", series.outcome)
                .register(meters);
    }
}
