package ai.molecule.proxy.push;

/** Something in the parameters of a push operation is wrong; told to the caller with the member's name. */
public final class WrongPushParameter extends RuntimeException {

    private static final long serialVersionUID = 1L;
    private final String field;

    WrongPushParameter(String field, String why) {
        super(field + " " + why, null, false, false); // an answer, not a fault: no stack is needed
        this.field = field;
    }

    /** Its path in the parameters. */
    public String field() {
        return field;
    }
}
