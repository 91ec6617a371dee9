package ai.molecule.runtime.agent;

/** A kind of agent cannot work here as it is set up; its message says what was found. */
public final class NotReady extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String title;
    private final String fix;

    /**
     * @param title what was looked at, in a word or two
     * @param detail what was found
     * @param fix what to do about it, as a sentence
     */
    public NotReady(String title, String detail, String fix) {
        super(detail);
        this.title = title;
        this.fix = fix;
    }

    public String title() {
        return title;
    }

    public String fix() {
        return fix;
    }
}
