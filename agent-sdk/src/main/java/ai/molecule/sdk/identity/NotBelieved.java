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

    private final boolean keyUnknown;

    private NotBelieved(String reason, boolean keyUnknown) {
        super(reason, null, false, false);
        this.keyUnknown = keyUnknown;
    }

    static NotBelieved because(String reason) {
        return new NotBelieved(reason, false);
    }

    static NotBelieved unknownKey() {
        return new NotBelieved("signed with a key that is not the platform's", true);
    }

    /** Whether the platform may have this key since its keys were asked for. */
    public boolean isKeyUnknown() {
        return keyUnknown;
    }

    public String reason() {
        return String.valueOf(getMessage());
    }
}
