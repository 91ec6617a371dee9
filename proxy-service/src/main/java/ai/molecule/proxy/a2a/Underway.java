package ai.molecule.proxy.a2a;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntConsumer;

/** Calls at their agents whose outcome nobody has written down yet. To be used on one event loop. */
final class Underway {

    private final Set<Forward> calls = new HashSet<>();
    private final IntConsumer count;

    /** @param count told how many there are whenever that changes */
    Underway(IntConsumer count) {
        this.count = count;
    }

    void add(Forward call) {
        calls.add(call);
        count.accept(calls.size());
    }

    void remove(Forward call) {
        calls.remove(call);
        count.accept(calls.size());
    }

    /** Gives them up; each is recorded. */
    void stop() {
        List.copyOf(calls).forEach(Forward::stop);
    }
}
