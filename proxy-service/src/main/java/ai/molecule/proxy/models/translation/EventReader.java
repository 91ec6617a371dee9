package ai.molecule.proxy.models.translation;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.function.Consumer;

/** Reads the events of one stream. */
interface EventReader {

    /** Hands on what the event says; throws BAD_GATEWAY for an error of the provider's. */
    void read(JsonNode data, Consumer<NeutralEvent> out);

    /** After the last event: hands on what is still to be said. Without an {@link NeutralEvent.End} the stream broke off. */
    default void ends(Consumer<NeutralEvent> out) {}

    /** Characters that are held back until more is known. */
    default long heldBytes() {
        return 0;
    }
}
