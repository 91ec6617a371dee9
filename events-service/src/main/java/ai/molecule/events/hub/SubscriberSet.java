package ai.molecule.events.hub;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Subscribers, any of whom may leave while all are being served. To be used on one event loop. */
final class SubscriberSet {

    private final Set<Subscriber> members = new LinkedHashSet<>();
    private Subscriber @Nullable [] standing; // rebuilt only after somebody came or went

    void add(Subscriber subscriber) {
        members.add(subscriber);
        standing = null;
    }

    void remove(Subscriber subscriber) {
        members.remove(subscriber);
        standing = null;
    }

    boolean isEmpty() {
        return members.isEmpty();
    }

    int size() {
        return members.size();
    }

    void forEach(Consumer<Subscriber> service) {
        var present = standing;
        if (present == null) {
            present = members.toArray(Subscriber[]::new);
            standing = present;
        }
        for (var subscriber : present) {
            service.accept(subscriber);
        }
    }
}
