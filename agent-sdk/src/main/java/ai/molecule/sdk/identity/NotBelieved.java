package ai.molecule.sdk.identity;

/**
 * Why something that looks signed is not believed, in a sentence for whoever showed it.
 *
 * <pre>{@code
 * } catch (NotBelieved refused) {
 *     answer(401, "unauthorized: the pair token is " + refused.reason());
 * }
 * }</pre>
 */
public final class NotBelieved extends Exception {

    private static final long serialVersionUID = 1L;

    private enum Doubt {
        NONE,
        KEY,
        UNDECIDED
    }

    private final Doubt doubt;

    private NotBelieved(String reason, Doubt doubt) {
        super(reason, null, false, false);
        this.doubt = doubt;
    }

    static NotBelieved because(String reason) {
        return new NotBelieved(reason, Doubt.NONE);
    }

    static NotBelieved unknownKey() {
        return new NotBelieved("signed with a key that is not the platform's", Doubt.KEY);
    }

    /** Of what may be believed in a moment: it is no refusal, and whoever showed it shall try again. */
    static NotBelieved yet(String reason) {
        return new NotBelieved(reason, Doubt.UNDECIDED);
    }

    /** Whether the platform may have this key since its keys were asked for. */
    public boolean isKeyUnknown() {
        return doubt == Doubt.KEY;
    }

    /** Whether nobody can tell now: the platform does not tell its keys, or has not told its time yet. */
    public boolean isUndecided() {
        return doubt == Doubt.UNDECIDED;
    }

    public String reason() {
        return String.valueOf(getMessage());
    }
}
