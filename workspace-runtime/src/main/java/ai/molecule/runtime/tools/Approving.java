package ai.molecule.runtime.tools;

import ai.molecule.runtime.agent.Parked;
import ai.molecule.sdk.WorkspaceClient;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;

/**
 * The tool {@code request_approval}: a person decides, perhaps days later. Meanwhile the task is {@linkplain Parked parked}: nothing is held for
 * it, and a restart changes nothing.
 */
public final class Approving {

    public static final ToolSpec TOOL = new ToolSpec(
            "request_approval",
            "Ask a person to approve what you are about to do, and wait for the decision.",
            "",
            new Schema()
                    .required("action", "What you want to do, understandable by itself.")
                    .optional("reason", "Why.")
                    .json(),
            Approving::request,
            Section.OWN,
            false);

    private static final int ACTION_MAX_CHARS = 4_000;

    private Approving() {}

    private static String request(Toolbox toolbox, Arguments arguments) {
        String action = arguments.text("action");
        String reason = arguments.text("reason");
        if (action.isEmpty() || action.length() + reason.length() > ACTION_MAX_CHARS) {
            throw new ToolRefusal("action must be given, with reason at most " + ACTION_MAX_CHARS + " characters");
        }
        var approval = decided(toolbox, action, reason);
        return isApproved(approval)
                ? "approved by " + decider(approval)
                : "denied by " + decider(approval) + ": do not do it";
    }

    static boolean isApproved(JsonNode approval) {
        return approval.path("status").asText().equals("approved");
    }

    /** @throws Parked until somebody has */
    static JsonNode decided(Toolbox toolbox, String action, String reason) {
        var call = toolbox.call().orElseThrow(Approving::notHere);
        WorkspaceClient self = toolbox.workspaces().source("");
        String id = call.noted().filter(noted -> !noted.isEmpty()).orElseGet(() -> asked(self, call, action, reason));
        JsonNode approval = find(self, id)
                .orElseThrow(() -> new ToolRefusal("the platform does not know the approval any more; ask again"));
        if (approval.path("status").asText().equals("pending")) {
            throw new Parked("a decision", () -> !isPending(self, id));
        }
        return approval;
    }

    /** One that was asked for just before the agent ended is found by its task and its words. */
    private static String asked(WorkspaceClient self, Toolbox.Call call, String action, String reason) {
        boolean again = call.noted().isPresent();
        if (!again && !call.note("")) {
            throw notHere();
        }
        String id = (again ? findPending(self, call.taskId(), action) : Optional.<String>empty())
                .orElseGet(() -> self.requestApproval(action, reason, call.taskId())
                        .path("approval_id")
                        .asText());
        boolean _ = call.note(id);
        return id;
    }

    private static Optional<String> findPending(WorkspaceClient self, String taskId, String action) {
        for (JsonNode each : self.approvals()) {
            if (each.path("status").asText().equals("pending")
                    && each.path("task_id").asText().equals(taskId)
                    && each.path("action").asText().equals(action)) {
                return Optional.of(each.path("id").asText());
            }
        }
        return Optional.empty();
    }

    private static Optional<JsonNode> find(WorkspaceClient self, String id) {
        for (JsonNode each : self.approvals()) {
            if (each.path("id").asText().equals(id)) {
                return Optional.of(each);
            }
        }
        return Optional.empty();
    }

    private static boolean isPending(WorkspaceClient self, String id) {
        return find(self, id)
                .map(each -> each.path("status").asText().equals("pending"))
                .orElse(false);
    }

    static String decider(JsonNode approval) {
        String who = approval.path("decided_by").asText("");
        return who.isEmpty() || who.equals("null") ? "a person" : who;
    }

    private static ToolRefusal notHere() {
        return new ToolRefusal("a decision cannot be waited for here: the agent cannot keep its tasks");
    }
}
