package ai.molecule.events.sockets;

import io.vertx.core.Future;
import java.time.Duration;

/** Keys that can be taken once. */
public interface TicketStore {

    Future<Void> put(String key, Duration age);

    /** True for exactly one caller within the age, false afterwards and for any other key. */
    Future<Boolean> take(String key);
}
