package ai.molecule.system;

import org.junit.jupiter.api.Tag;

@Tag("full")
@Journeys.OfAll
class JourneysByPointerIT extends Journeys {

    JourneysByPointerIT() {
        super(Hand.Pointer::new);
    }
}
