package ai.molecule.runtime.tools;

import ai.molecule.sdk.ApprovalDigest;
import ai.molecule.sdk.PlatformException;
import ai.molecule.sdk.WorkspaceClient;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

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

    /** The same for a caller who comes again for the decision: no call is held, and nothing kept here. */
    public static final ToolSpec COMING_AGAIN = new ToolSpec(
            TOOL.name(),
            TOOL.brief(),
            TOOL.whenToUse(),
            TOOL.inputSchema(),
            Approving::requestComingAgain,
            Section.OWN,
            false);

    private static final Duration LOOK_EVERY = Duration.ofSeconds(2);
    private static final Duration LOOKED_FOR = Duration.ofSeconds(20);
    private static final String APPROVAL = "approval";
    private static final int ACTION_MAX_CHARS = 4_000;

    private Approving() {}

    private static String request(Toolbox toolbox, Arguments arguments) {
        String action = action(arguments);
        return words(decision(toolbox, action, arguments.text("reason"), JsonNodeFactory.instance.objectNode()));
    }

    private static String action(Arguments arguments) {
        String action = arguments.text("action");
        if (action.isEmpty() || action.length() + arguments.text("reason").length() > ACTION_MAX_CHARS) {
            throw new ToolRefusal("action must be given, with reason at most " + ACTION_MAX_CHARS + " characters");
        }
        return action;
    }

    private static String words(Decision decision) {
        return decision.approved() ? "approved by " + decision.by() : "denied by " + decision.by() + ": do not do it";
    }

    /** Looks for 20 s, but for the first time where a person is to be led to the page. */
    private static String requestComingAgain(Toolbox toolbox, Arguments arguments) throws InterruptedException {
        var input = toolbox.input().orElseThrow(Approving::notHere);
        WorkspaceClient self = toolbox.workspaces().source("");
        String action = action(arguments);
        String digest = ApprovalDigest.of(action, arguments.text("reason"), JsonNodeFactory.instance.objectNode());
        String asked = input.state().path(APPROVAL).asText("");
        String id = asked.isEmpty()
                ? self.requestApproval(action, arguments.text("reason"))
                        .path("approval_id")
                        .asText()
                : asked;
        long end = System.nanoTime() + (asked.isEmpty() && input.canVisit() ? Duration.ZERO : LOOKED_FOR).toNanos();
        for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
            JsonNode approval = known(self, id, Duration.ofNanos(left));
            String status = approval.path("status").asText();
            if (!status.equals("pending")) {
                return words(decided(approval, digest));
            }
            Thread.sleep(LOOK_EVERY);
        }
        ObjectNode requests = JsonNodeFactory.instance.objectNode();
        if (input.canVisit()) {
            requests.set("decision-" + UUID.randomUUID(), input.visit("A person decides: " + action, id));
        }
        throw new InputNeeded(requests, JsonNodeFactory.instance.objectNode().put(APPROVAL, id));
    }

    /** @param by who decided */
    record Decision(boolean approved, String by) {}

    /**
     * What a person decided about the call that is made; asks once, whatever happens to the agent meanwhile.
     *
     * @param context what they are shown beside the words; empty for nothing. With the words it is what is about to be done: where what was
     *     approved has another digest, the call is refused
     * @throws Parked while nobody has decided, or nobody can be asked whether somebody has
     */
    static Decision decision(Toolbox toolbox, String action, String reason, ObjectNode context) {
        var call = toolbox.call().orElseThrow(Approving::notHere);
        WorkspaceClient self = toolbox.workspaces().source("");
        String digest = ApprovalDigest.of(action, reason, context);
        String id = call.noted()
                .filter(noted -> !noted.isEmpty())
                .orElseGet(() -> asked(self, call, action, reason, context, digest));
        JsonNode approval = known(self, id, Duration.ZERO); // nothing is held: the task is parked
        if (approval.path("status").asText().equals("pending")) {
            throw waiting(self, id);
        }
        return decided(approval, digest);
    }

    /** @param digest of what is about to be done: nothing else was approved. A platform from before there were any names none */
    private static Decision decided(JsonNode approval, String digest) {
        boolean approved = approval.path("status").asText().equals("approved");
        if (approved && !isOf(approval, "decided_digest", digest) || approved && !isOf(approval, "digest", digest)) {
            throw new ToolRefusal("what was approved is not what this call would do: nothing was done. Ask again");
        }
        return new Decision(approved, decider(approval));
    }

    private static boolean isOf(JsonNode approval, String member, String digest) {
        return approval.path(member).asText(digest).equals(digest);
    }

    /** It was asked for already: a platform that is away for a moment is no answer. */
    private static JsonNode known(WorkspaceClient self, String id, Duration patience) {
        try {
            return self.approval(id, patience)
                    .orElseThrow(() -> new ToolRefusal("the platform does not know the approval any more; ask again"));
        } catch (PlatformException away) {
            if (away.isUnreachable()) {
                throw waiting(self, id);
            }
            throw away;
        }
    }

    private static Parked waiting(WorkspaceClient self, String id) {
        return new Parked("a decision", () -> !isPending(self, id));
    }

    /** One that was asked for just before the agent ended is found by its task and its digest, of an older platform by its words. */
    private static String asked(
            WorkspaceClient self, Toolbox.Call call, String action, String reason, ObjectNode context, String digest) {
        boolean again = call.noted().isPresent();
        if (!again && !call.note("")) {
            throw notHere();
        }
        String id = (again ? findPending(self, call.taskId(), action, digest) : Optional.<String>empty())
                .orElseGet(() -> self.requestApproval(action, reason, call.taskId(), context)
                        .path("approval_id")
                        .asText());
        boolean _ = call.note(id);
        return id;
    }

    private static Optional<String> findPending(WorkspaceClient self, String taskId, String action, String digest) {
        for (JsonNode each : self.approvals()) {
            if (each.path("status").asText().equals("pending")
                    && each.path("task_id").asText().equals(taskId)
                    && each.path("action").asText().equals(action)
                    && isOf(each, "digest", digest)) {
                return Optional.of(each.path("id").asText());
            }
        }
        return Optional.empty();
    }

    private static boolean isPending(WorkspaceClient self, String id) {
        return self.approval(id, Duration.ZERO)
                .map(each -> each.path("status").asText().equals("pending"))
                .orElse(false);
    }

    private static String decider(JsonNode approval) {
        String who = approval.path("decided_by").asText("");
        return who.isEmpty() || who.equals("null") ? "a person" : who;
    }

    static ToolRefusal notHere() {
        return new ToolRefusal("a decision cannot be waited for here: the agent cannot keep its tasks");
    }
}
