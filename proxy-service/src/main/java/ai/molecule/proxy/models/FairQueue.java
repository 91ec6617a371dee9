package ai.molecule.proxy.models;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Who is next where many want what there is too little of: start-time fair queuing (Goyal, Vin and Cheng, 1996). Each turn has a cost; an
 * agent that took much comes behind one that took little, however many turns it waits for, and one that comes anew is not behind what
 * others took before. For one thread.
 */
final class FairQueue<T> {

    /** Agents that wait for nothing are remembered with what they took, so many. */
    private static final int REMEMBERED_MAX = 1_000;

    /** A turn that is waited for. */
    record Turn<T>(UUID agent, double start, T item) {}

    private static final class Agent<T> {
        private final ArrayDeque<Turn<T>> turns = new ArrayDeque<>();
        private double finish;
    }

    private final Map<UUID, Agent<T>> agents = new HashMap<>();
    private double clock;
    private int size;

    int size() {
        return size;
    }

    Turn<T> add(UUID id, double cost, T item) {
        var agent = agents.computeIfAbsent(id, fresh -> new Agent<>());
        var turn = new Turn<>(id, Math.max(clock, agent.finish), item);
        agent.finish = turn.start + cost;
        agent.turns.add(turn);
        size++;
        return turn;
    }

    /** Takes the next one out; null when none waits. It is {@link #served}, or {@link #putBack}. */
    @Nullable
    Turn<T> take() {
        Turn<T> next = null;
        for (var agent : agents.values()) {
            var first = agent.turns.peek();
            if (first != null && (next == null || first.start < next.start)) {
                next = first;
            }
        }
        if (next != null) {
            remove(next);
        }
        return next;
    }

    /** Of several the last first. */
    void putBack(Turn<T> turn) {
        agents.computeIfAbsent(turn.agent, fresh -> new Agent<>()).turns.addFirst(turn);
        size++;
    }

    void served(Turn<T> turn) {
        clock = Math.max(clock, turn.start);
        if (agents.size() > REMEMBERED_MAX) {
            agents.values().removeIf(agent -> agent.turns.isEmpty());
        } else {
            agents.values().removeIf(agent -> agent.turns.isEmpty() && agent.finish <= clock);
        }
    }

    /** Whether it was waiting. */
    boolean remove(Turn<T> turn) {
        var agent = agents.get(turn.agent);
        boolean waited = agent != null && agent.turns.remove(turn);
        size -= waited ? 1 : 0;
        return waited;
    }

    /** A turn cost so much more than was thought; less when it is below 0. */
    void charge(UUID id, double more) {
        var agent = agents.get(id);
        if (agent != null) {
            agent.finish = Math.max(0, agent.finish + more);
        }
    }

    /** Takes the newest turn of who waits for most out, to make room for one who waits for fewer; null when nobody waits for more than that. */
    @Nullable
    Turn<T> evictFor(UUID id) {
        var own = agents.get(id);
        Agent<T> greediest = null;
        for (var agent : agents.values()) {
            if (greediest == null || agent.turns.size() > greediest.turns.size()) {
                greediest = agent;
            }
        }
        if (greediest == null || greediest.turns.size() <= (own == null ? 0 : own.turns.size()) + 1) {
            return null;
        }
        size--;
        return greediest.turns.removeLast();
    }
}
