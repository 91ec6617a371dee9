package ai.molecule.runtime.tools;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Thrown by a tool that cannot go on without its caller, where the toolbox has {@linkplain Toolbox#input() a caller who can be asked}: the call ends
 * with questions, and is made again with the answers.
 */
public final class InputNeeded extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient ObjectNode requests;
    private final transient ObjectNode state;

    /**
     * @param requests by a key of their own, each {@code {method, params}}; only such as the caller {@linkplain CallersInput can} answer, or none,
     *     which means: come again
     * @param state what the tool is given again with the answers; no secret
     */
    public InputNeeded(ObjectNode requests, ObjectNode state) {
        super("the caller is asked", null, false, false);
        this.requests = requests.deepCopy();
        this.state = state.deepCopy();
    }

    public ObjectNode requests() {
        return requests.deepCopy();
    }

    public ObjectNode state() {
        return state.deepCopy();
    }
}
