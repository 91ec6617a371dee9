package ai.molecule.events.notifications;

/** Why a target did not take what it was told, in words for the platform screen: nothing of the answer's body, and no secret. */
final class NotDelivered extends RuntimeException {

    private static final long serialVersionUID = 1L;

    NotDelivered(String why) {
        super(why, null, false, false); // an answer, not a fault: no stack is needed
    }

    String why() {
        return String.valueOf(getMessage());
    }
}
