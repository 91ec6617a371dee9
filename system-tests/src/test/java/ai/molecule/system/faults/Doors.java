package ai.molecule.system.faults;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** What a load balancer does in front of the front doors: requests go in turn to those that say they are ready. */
final class Doors implements AutoCloseable {

    private static final long LOOK_MILLIS = 200;

    private final List<Replica> doors;
    private final AtomicInteger next = new AtomicInteger();
    private final Thread looking;
    private volatile List<Replica> ready = List.of();

    Doors(Replica... doors) {
        this.doors = List.of(doors);
        this.looking = Thread.ofVirtual().name("doors").start(this::look);
    }

    boolean allReady() {
        return ready.size() == doors.size();
    }

    Client client() throws IOException {
        var those = ready;
        if (those.isEmpty()) {
            throw new IOException("no front door is ready");
        }
        return those.get(Math.floorMod(next.getAndIncrement(), those.size())).client;
    }

    private void look() {
        try {
            while (true) {
                ready = doors.stream().filter(Replica::isReady).toList();
                Thread.sleep(LOOK_MILLIS);
            }
        } catch (InterruptedException closed) {
            // done
        }
    }

    @Override
    public void close() {
        looking.interrupt();
    }
}
