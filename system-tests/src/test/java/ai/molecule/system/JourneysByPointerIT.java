package ai.molecule.system;

class JourneysByPointerIT extends Journeys {

    JourneysByPointerIT() {
        super(Hand.Pointer::new);
    }
}
