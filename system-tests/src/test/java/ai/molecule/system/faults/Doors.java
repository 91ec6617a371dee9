package ai.molecule.system.faults;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** What a load balancer does in front of the front doors: requests go in turn to those that say they are ready. */
final class Doors implements AutoCloseable {

    private static final long LOOK_MILLIS = 200;

    private final List<Replica> doors;
    private final AtomicInteger next = new AtomicInteger();
    private final Set<Replica> ready = ConcurrentHashMap.newKeySet();
    private final List<Thread> looking;

    /** Each is asked by a thread of its own: one that takes long to say that it is ready must not hide that another leaves. */
    Doors(Replica... doors) {
        this.doors = List.of(doors);
        this.looking = this.doors.stream()
                .map(door -> Thread.ofVirtual().name("door").start(() -> look(door)))
                .toList();
    }

    boolean allReady() {
        return ready.size() == doors.size();
    }

    /** When none says that it is ready, all are tried, as balancers do: on a busy machine the answer may be what is late. */
    Client client() {
        var found = doors.stream().filter(ready::contains).toList();
        var those = found.isEmpty() ? doors : found;
        return those.get(Math.floorMod(next.getAndIncrement(), those.size())).client;
    }

    private void look(Replica door) {
        try {
            while (true) {
                if (door.isReady()) {
                    ready.add(door);
                } else {
                    ready.remove(door);
                }
                Thread.sleep(LOOK_MILLIS);
            }
        } catch (InterruptedException closed) {
            // done
        }
    }

    @Override
    public void close() {
        looking.forEach(Thread::interrupt);
    }
}
