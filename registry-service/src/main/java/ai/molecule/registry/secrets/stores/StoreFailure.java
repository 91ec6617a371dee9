package ai.molecule.registry.secrets.stores;

/** Why a store gave no value: one of a few phrases, so that nothing of what a store answered reaches an error or a log. */
public final class StoreFailure extends RuntimeException {

    /** Each phrase continues "the store …". */
    public enum Reason {
        NOT_CONFIGURED("is not configured on this platform"),
        NOT_ALLOWED("does not allow this reference"),
        UNREACHABLE("cannot be reached"),
        TIMED_OUT("did not answer in time"),
        DENIED("denied permission"),
        SEALED("is sealed or in standby"),
        NOT_FOUND("has no such secret"),
        NO_FIELD("has no such field with a text"),
        TOO_LARGE("gave more than 65536 bytes"),
        NO_VALUE("gave no text"),
        FAILED("reported an error");

        private final String phrase;

        Reason(String phrase) {
            this.phrase = phrase;
        }
    }

    private final Reason reason;

    StoreFailure(Reason reason) {
        super(reason.phrase, null, false, false);
        this.reason = reason;
    }

    Reason reason() {
        return reason;
    }
}
