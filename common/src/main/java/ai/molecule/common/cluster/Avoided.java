package ai.molecule.common.cluster;

import io.vertx.core.spi.cluster.RegistrationInfo;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Members that did not answer the last looks at them: what others serve as well is asked of those. Safe for any thread. */
final class Avoided {

    /** One look may meet a member that collects its garbage. */
    static final int MISSES = 2;

    private final Map<String, Integer> misses = new HashMap<>();
    private volatile Set<String> nodes = Set.of();

    Set<String> nodes() {
        return nodes;
    }

    /**
     * After a look at all others.
     *
     * @param others who is a member now
     * @return whether other ones are avoided from now on
     */
    synchronized boolean looked(Collection<String> others, Set<String> answered) {
        misses.keySet().retainAll(others);
        others.forEach(node -> misses.merge(node, 1, Integer::sum));
        answered.forEach(misses::remove);
        var before = nodes;
        var now = new HashSet<String>();
        misses.forEach((node, missed) -> {
            if (missed >= MISSES) {
                now.add(node);
            }
        });
        nodes = Set.copyOf(now);
        return !nodes.equals(before);
    }

    /** Without those that are avoided; all of them where nobody else is left. */
    List<RegistrationInfo> without(List<RegistrationInfo> registrations) {
        var avoided = nodes;
        if (avoided.isEmpty()) {
            return registrations;
        }
        var others = registrations.stream()
                .filter(one -> !avoided.contains(one.nodeId()))
                .toList();
        return others.isEmpty() ? registrations : others;
    }
}
