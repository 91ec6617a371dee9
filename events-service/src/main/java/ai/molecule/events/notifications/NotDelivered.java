package ai.molecule.events.notifications;

/** Why a target did not take what it was told, in words for the platform screen: nothing of the answer's body, and no secret. */
final class NotDelivered extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Whether the same again is of no use. */
    private final boolean forGood;

    NotDelivered(String why) {
        this(why, false);
    }

    NotDelivered(String why, boolean forGood) {
        super(why, null, false, false); // an answer, not a fault: no stack is needed
        this.forGood = forGood;
    }

    boolean forGood() {
        return forGood;
    }

    String why() {
        return String.valueOf(getMessage());
    }
}
