package ai.molecule.common.bus;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a service's background work has been doing. Served by every service at an address of its own, where one of its replicas
 * answers for itself; called by the proxy for {@code /admin/liveness}. Reads only, so it may be repeated.
 */
public record ReconcilerStatus() {

    /** A person waits for it, and a service that does not answer at once is what they want to see. */
    private static final Duration DEADLINE = Duration.ofSeconds(2);

    /** The contract as this service serves it. */
    public static Contract<ReconcilerStatus, All> of(String service) {
        return new Contract<>(service + ".reconciler-status", ReconcilerStatus.class, All.class, DEADLINE);
    }

    /**
     * One reconciler.
     *
     * @param lastRunAt null before the first run
     * @param lastSuccessAt null before the first that went through
     * @param did what the last run that went through did; empty before it
     * @param ok whether the last run went through, or was another replica's to do
     * @param says one sentence for a person
     */
    public record One(
            String name,
            @Nullable Instant lastRunAt,
            @Nullable Instant lastSuccessAt,
            String did,
            boolean ok,
            String says) {}

    /**
     * All of one replica of a service, in the order they were set up.
     *
     * @param replica which one it is: host and process id
     * @param openDoors the variables of the compatibility doors that stand open in production
     */
    public record All(String replica, List<One> reconcilers, List<String> openDoors) {}
}
