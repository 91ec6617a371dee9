package ai.molecule.proxy.frontdoor;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What passes through the front door and has no end of its own: sockets and event streams. Used on one event loop. */
class LongLivedConnections {

    private final Set<Runnable> endings = new HashSet<>();

    /** @param ending runs when the front door closes */
    void add(Runnable ending) {
        endings.add(ending);
    }

    /** Whether any answer of no stated length is one of them, not only an event stream: of who may call it what they like. */
    boolean takesUnsized() {
        return false;
    }

    void remove(Runnable ending) {
        endings.remove(ending);
    }

    void end() {
        List.copyOf(endings).forEach(Runnable::run);
        endings.clear();
    }
}
