package ai.molecule.provisioner.plugins.sources;

/** A plugin cannot be had. The message is for the log: it may name hosts and files. */
public final class FetchFailure extends RuntimeException {

    /** What the caller can make of it. */
    public enum Kind {
        /** There is no such plugin. */
        NOT_FOUND,
        /** It takes longer than it may. */
        TIMED_OUT,
        /** It is larger than it may be. */
        TOO_LARGE,
        /** Nobody answers, or what was answered cannot be used. */
        UNUSABLE
    }

    private static final long serialVersionUID = 1L;

    private final Kind kind;

    public FetchFailure(Kind kind, String detail) {
        super(detail);
        this.kind = kind;
    }

    public FetchFailure(Kind kind, String detail, Throwable cause) {
        super(detail, cause);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
