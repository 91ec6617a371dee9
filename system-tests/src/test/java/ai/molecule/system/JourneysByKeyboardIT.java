package ai.molecule.system;

import org.junit.jupiter.api.Tag;

@Tag("full")
class JourneysByKeyboardIT extends Journeys {

    JourneysByKeyboardIT() {
        super(Hand.Keyboard::new);
    }
}
