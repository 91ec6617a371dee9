package ai.molecule.proxy.backlog;

import io.vertx.core.Future;
import java.util.Map;

/** Counts what waits, whichever replica took it. */
public interface BacklogStore {

    /**
     * @param messages that wait for busy agents; the one that is at its agent is none
     * @param oldestSeconds since the oldest of them came; 0 when there is none
     */
    record Queue(long messages, double oldestSeconds) {}

    Future<Queue> queue();

    /** How many delegations the platform carries out, by status: {@code pending}, {@code dispatched}, {@code queued}; none is left out. */
    Future<Map<String, Long>> delegations();
}
