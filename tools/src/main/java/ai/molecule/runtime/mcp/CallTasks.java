package ai.molecule.runtime.mcp;

import ai.molecule.runtime.tools.CallersInput;
import ai.molecule.runtime.tools.ToolSpec;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;

/**
 * Calls that are answered with a handle, and what became of them: MCP's extension {@value #EXTENSION}. A task is told as {@code tasks/get} tells it,
 * {@code taskId, status, createdAt, lastUpdatedAt, ttlMs} and what belongs to its status. All may block.
 */
public interface CallTasks {

    String EXTENSION = "io.modelcontextprotocol/tasks";

    /** Whether any of the tools can become a task. */
    boolean isFor(ToolSpec tool);

    /**
     * The task that a call has begun; empty where it is answered as ever.
     *
     * @param answer what the tool said
     */
    Optional<ObjectNode> begun(ToolSpec tool, String answer, CallersInput caller) throws InterruptedException;

    /** Empty for one that is not there, or not the caller's. */
    Optional<ObjectNode> find(String taskId, CallersInput caller) throws InterruptedException;

    /**
     * Answers what a task asks; keys that it does not ask are passed over.
     *
     * @return whether it is there
     */
    boolean update(String taskId, CallersInput caller) throws InterruptedException;

    /** Whether it is there; one that is over stays as it is. */
    boolean cancel(String taskId) throws InterruptedException;
}
