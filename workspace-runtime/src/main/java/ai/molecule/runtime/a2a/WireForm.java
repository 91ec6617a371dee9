package ai.molecule.runtime.a2a;

import ai.molecule.runtime.tasks.AgentTask;
import ai.molecule.runtime.tasks.IncomingMessage;
import ai.molecule.runtime.tasks.TaskEvent;
import ai.molecule.runtime.tasks.TaskPage;
import ai.molecule.runtime.tasks.TaskRefused;
import ai.molecule.runtime.tasks.TaskSnapshot;
import ai.molecule.runtime.tasks.TaskView;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;

/**
 * One version of the protocol: how its requests are read and what it calls things. Everything behind it knows one model of tasks and
 * messages. Every method that reads fails with an {@link RpcError} that names the field.
 */
sealed interface WireForm permits WireForm03, WireForm10 {

    /** What a method of JSON-RPC asks for; empty when this version has none of that name. */
    Optional<Operation> operation(String method);

    /** Looks at what each request of this version has, whatever it asks for. */
    void check(JsonNode params);

    /** @param sender the workspace that speaks, where it says so */
    IncomingMessage message(JsonNode params, Optional<String> sender);

    /** Whether the sender of a message waits for the end of the turn. */
    boolean waits(JsonNode configuration);

    /** A task that was asked for. */
    ObjectNode task(TaskSnapshot task, int historyMax);

    /** A task as the first that is heard of it: of a stream, or of a send that does not wait. */
    ObjectNode begun(TaskSnapshot task, int historyMax);

    /** What a send answers that waited. */
    ObjectNode sent(TaskSnapshot task, int historyMax);

    /** The answer of a task that nobody is told of: a message. */
    ObjectNode direct(TaskSnapshot task);

    ObjectNode event(TaskSnapshot task, TaskEvent event);

    ObjectNode page(TaskPage page, int historyMax, boolean withArtifacts);

    /** Where somebody who comes back to a task begins. */
    TaskView follow(AgentTask task);

    RpcError noExtendedCard();

    RpcError refusal(TaskRefused refused);

    /** The {@code error} of a JSON-RPC answer. */
    ObjectNode error(RpcError error);

    /** Whether a stream that cannot begin is a stream of one event, which says why. */
    boolean errorsAreEvents();
}
