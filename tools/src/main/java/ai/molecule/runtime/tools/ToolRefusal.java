package ai.molecule.runtime.tools;

/** A tool cannot do what it was asked; the message tells the model why, and nothing was done. */
public final class ToolRefusal extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public ToolRefusal(String message) {
        super(message);
    }
}
