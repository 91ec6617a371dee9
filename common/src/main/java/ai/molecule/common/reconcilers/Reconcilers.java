package ai.molecule.common.reconcilers;

import ai.molecule.common.bus.ReconcilerStatus;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** All reconcilers of one replica of a service. Safe for any thread. */
public final class Reconcilers {

    /** Containers and pods are told their name, and share process ids. */
    private static final String REPLICA = System.getenv().getOrDefault("HOSTNAME", "localhost") + "/"
            + ProcessHandle.current().pid();

    private final Clock clock;
    private final List<RunReport> all = new CopyOnWriteArrayList<>();

    public Reconcilers(Clock clock) {
        this.clock = clock;
    }

    /**
     * @param name unique within the service, such as {@code liveness-sweep}
     * @param purpose one sentence that says what it is for; shown while all is well
     */
    public RunReport add(String name, String purpose) {
        var report = new RunReport(name, purpose, clock);
        all.add(report);
        return report;
    }

    public ReconcilerStatus.All status() {
        return new ReconcilerStatus.All(
                REPLICA, all.stream().map(RunReport::status).toList());
    }
}
