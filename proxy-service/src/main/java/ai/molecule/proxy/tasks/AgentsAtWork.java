package ai.molecule.proxy.tasks;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/** Agents that were given something to do for a piece of work lately: what they begin may belong to it. In one thread. */
final class AgentsAtWork {

    /** The latest ones; of an agent beyond, what it begins belongs to a work that is written down already. */
    static final int AGENTS_MAX = 10_000;

    private final Map<UUID, Boolean> agents = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<UUID, Boolean> eldest) {
            return size() > AGENTS_MAX;
        }
    };

    void add(UUID agent) {
        agents.put(agent, true);
    }

    boolean isAtWork(UUID agent) {
        return agents.containsKey(agent);
    }
}
