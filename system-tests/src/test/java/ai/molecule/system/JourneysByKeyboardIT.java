package ai.molecule.system;

class JourneysByKeyboardIT extends Journeys {

    JourneysByKeyboardIT() {
        super(Hand.Keyboard::new);
    }
}
