package ai.molecule.events.sockets;

import io.vertx.core.Future;
import java.time.Duration;
import java.util.Optional;

/** Values that can be taken once, by key. */
public interface TicketStore {

    Future<Void> put(String key, String value, Duration age);

    /** The value for exactly one caller within the age, empty afterwards and for any other key. */
    Future<Optional<String>> take(String key);
}
