package ai.molecule.common.reconcilers;

import ai.molecule.common.bus.ReconcilerStatus;
import ai.molecule.common.net.HostName;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** All reconcilers of one replica of a service. Safe for any thread. */
public final class Reconcilers {

    /** The host's name besides the process id, because process ids repeat among containers and pods. */
    private static final String REPLICA =
            HostName.ofReplica(System.getenv()) + "/" + ProcessHandle.current().pid();

    private final Clock clock;
    private final MeterRegistry meters;
    private final List<RunReport> all = new CopyOnWriteArrayList<>();

    /** Without figures. */
    public Reconcilers(Clock clock) {
        this(clock, new SimpleMeterRegistry());
    }

    /** @param meters get two figures for each: {@code molecule_reconciler_ok} and {@code molecule_reconciler_success_age_seconds} */
    public Reconcilers(Clock clock, MeterRegistry meters) {
        this.clock = clock;
        this.meters = meters;
    }

    /**
     * @param name unique within the service, such as {@code liveness-sweep}
     * @param purpose one sentence that says what it is for; shown while all is well
     */
    public RunReport add(String name, String purpose) {
        var report = new RunReport(name, purpose, clock);
        all.add(report);
        Gauge.builder("molecule.reconciler.ok", report, one -> one.status().ok() ? 1 : 0)
                .tag("name", name)
                .register(meters);
        Gauge.builder("molecule.reconciler.success.age.seconds", report, this::secondsSinceSuccess)
                .tag("name", name)
                .register(meters);
        return report;
    }

    /** NaN until this replica's first success, so for ever where another replica does the work. */
    private double secondsSinceSuccess(RunReport report) {
        var succeeded = report.status().lastSuccessAt();
        return succeeded == null
                ? Double.NaN
                : Duration.between(succeeded, clock.instant()).toMillis() / 1_000.0;
    }

    public ReconcilerStatus.All status() {
        return status(List.of());
    }

    /** @param openDoors as {@link ReconcilerStatus.All} says */
    public ReconcilerStatus.All status(List<String> openDoors) {
        return new ReconcilerStatus.All(
                REPLICA, all.stream().map(RunReport::status).toList(), openDoors);
    }
}
