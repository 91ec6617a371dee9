package ai.molecule.runtime.tools;

/**
 * Thrown by an executor whose task has to wait for something outside, for days perhaps: the task stays as it is, no thread waits with it,
 * and the executor is given it again once what it waits for has come, or the agent was restarted. Only for tasks whose steps
 * are kept.
 */
public final class Parked extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Whether it has come. Asked every few seconds, may block; what it throws counts as not yet. */
    @FunctionalInterface
    public interface Until {
        boolean hasCome() throws Exception;
    }

    private final transient Until until;

    public Parked(String why, Until until) {
        super(why, null, false, false); // no fault: no stack is needed
        this.until = until;
    }

    public Until until() {
        return until;
    }
}
