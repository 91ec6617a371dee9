package ai.molecule.system;

@Journeys.OfAll
class JourneysByPointerIT extends Journeys {

    JourneysByPointerIT() {
        super(Hand.Pointer::new);
    }
}
