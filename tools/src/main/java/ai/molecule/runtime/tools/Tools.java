package ai.molecule.runtime.tools;

import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;

/** Every tool, in the order in which models see them. */
public final class Tools {

    private static final String TARGET = "The peer's workspace id, a UUID from list_peers.";
    private static final String SCOPE =
            "LOCAL: only you. TEAM: you, your parent and your siblings. GLOBAL: the organisation.";

    /** In order; names are unique. */
    public static final List<ToolSpec> ALL = List.of(
            handsOn(
                    "delegate_task",
                    "Give a task to a peer and wait for its answer.",
                    "For a question or a piece of work that takes a peer seconds or a few minutes; you can do nothing else"
                            + " meanwhile. Longer work goes to delegate_task_async. An answer that begins with DELEGATION FAILED"
                            + " tells you what went wrong and what you can do instead.",
                    new Schema()
                            .required("workspace_id", TARGET)
                            .required("task", "What the peer is to do. It sees nothing but this text.")
                            .optional(
                                    "task_id",
                                    "Only to answer a peer that asked you something: the id of its task. Then task is the answer.")
                            .source(),
                    Delegating::now),
            handsOn(
                    "delegate_task_async",
                    "Give a task to a peer and go on working; answers with a delegation id at once.",
                    "For work that takes long, and for several peers at the same time. The platform delivers the task, also to a"
                            + " peer that is busy or restarting. Ask check_task_status with the id for the result. Delegating the"
                            + " same task to the same peer again is the same delegation.",
                    new Schema()
                            .required("workspace_id", TARGET)
                            .required("task", "What the peer is to do. It sees nothing but this text.")
                            .source(),
                    Delegating::later),
            a2a(
                    "check_task_status",
                    "See what became of a task given away with delegate_task_async.",
                    "pending, dispatched and in_progress: wait, and do something else first. queued: the peer is busy and will get"
                            + " to it, so never delegate the task again. completed: the result is there. failed: do the work"
                            + " another way. With an empty task_id you see your latest delegations.",
                    new Schema()
                            .required("workspace_id", "The peer the task was given to.")
                            .required("task_id", "The delegation id that delegate_task_async answered with.")
                            .source(),
                    Delegating::status),
            a2a(
                    "list_peers",
                    "List the workspaces you may talk to, with name, id, status and role.",
                    "Before you delegate to somebody whose id you do not know. You see your siblings, your parent and your direct"
                            + " children; nobody else can be reached. When you speak for several workspaces, each line names the"
                            + " one that knows the peer.",
                    new Schema().source(),
                    Peers::list),
            a2a(
                    "get_workspace_info",
                    "Show your own workspace: id, name, role, tier, parent, status.",
                    "When you need to know who and where you are, for example whether you have a parent to report to or are the"
                            + " root that may write GLOBAL memories.",
                    new Schema().source(),
                    Peers::self),
            handsOn(
                    "broadcast_message",
                    "Send one message to each workspace you may talk to, 100 at most.",
                    "For news that concerns all your peers. It does not wait for answers. For a single peer use delegate_task.",
                    new Schema()
                            .required("message", "What every peer is to know.")
                            .optional("workspace_id", "Which of your workspaces to speak as, when you have several."),
                    Peers::broadcast),
            a2a(
                    "send_message_to_user",
                    "Show a message, with files when there are any, in the user's chat at once.",
                    "To say that you have begun, how far you are, and what came out. Files go into attachments as absolute paths,"
                            + " 25 MB each at most, never as links in the message.",
                    new Schema()
                            .required("message", "What the user reads.")
                            .texts("attachments", "Absolute paths of files to show with it.")
                            .optional("workspace_id", "Which of your workspaces to speak as, when you have several."),
                    Talking::toUser),
            a2a(
                    "wait_for_message",
                    "Wait for the next message to you, and see it without taking it away.",
                    "Only where you fetch your messages yourself. Wait, answer (a user with send_message_to_user, a peer with"
                            + " delegate_task), take the message away with inbox_pop, wait again.",
                    new Schema()
                            .optional(
                                    "timeout_secs", "number", "How long to wait, 0 to 300 seconds; 60 when left out."),
                    InboxTools::await),
            a2a(
                    "inbox_peek",
                    "Look at the messages that wait for you, oldest first.",
                    "Only where you fetch your messages yourself, to see what there is before you answer. Nothing is taken away.",
                    new Schema().optional("limit", "integer", "How many at most; 10 when left out."),
                    InboxTools::peek),
            a2a(
                    "inbox_pop",
                    "Take a message that you have answered out of your inbox.",
                    "After each message that you got from wait_for_message and dealt with. Doing it twice does no harm.",
                    new Schema().required("activity_id", "The message's activity_id."),
                    InboxTools::pop),
            a2a(
                    "chat_history",
                    "Read what you and a peer have said to each other, oldest first.",
                    "When a message refers to something that was said before.",
                    new Schema()
                            .required("peer_id", TARGET)
                            .optional("limit", "integer", "How many entries, 1 to 500; 20 when left out.")
                            .optional("before_ts", "Only what is older than this time, such as 2026-01-31T12:00:00Z.")
                            .source(),
                    Talking::history),
            memory(
                    "commit_memory",
                    "Keep something that you or your team will need later.",
                    "As soon as you learn a decision, a preference or a fact that will still matter in the next conversation. LOCAL"
                            + " unless you say otherwise; only the root may write GLOBAL. Never keep secrets.",
                    new Schema()
                            .required("content", "What to remember, understandable by itself.")
                            .oneOf("scope", SCOPE, "LOCAL", "TEAM", "GLOBAL")
                            .source(),
                    Memories::commit),
            memory(
                    "recall_memory",
                    "Search what has been remembered.",
                    "At the beginning of a piece of work, and when you are unsure whether something was decided already. Without a"
                            + " query you get everything.",
                    new Schema()
                            .optional("query", "Words to look for.")
                            .oneOf("scope", SCOPE + " Empty: all of them.", "LOCAL", "TEAM", "GLOBAL", "")
                            .source(),
                    Memories::recall));

    /** Those that need nothing of the machine they run on: neither an inbox that is kept full, nor files. */
    public static final List<ToolSpec> AT_THE_PLATFORM = ALL.stream()
            .filter(tool -> !tool.readsInbox())
            .map(tool -> tool.name().equals("send_message_to_user") ? wordsToUser(tool) : tool)
            .toList();

    private Tools() {}

    public static List<ToolSpec> in(Section section) {
        return ALL.stream().filter(tool -> tool.section() == section).toList();
    }

    public static Optional<ToolSpec> find(String name) {
        return ALL.stream().filter(tool -> tool.name().equals(name)).findFirst();
    }

    /** @throws NoSuchElementException when there is no such tool */
    public static ToolSpec get(String name) {
        return find(name).orElseThrow(() -> new NoSuchElementException("no tool " + name));
    }

    private static ToolSpec wordsToUser(ToolSpec whole) {
        return a2a(
                whole.name(),
                "Show a message in the user's chat at once.",
                "To say that you have begun, how far you are, and what came out.",
                new Schema().required("message", "What the user reads."),
                Talking::wordsToUser);
    }

    private static ToolSpec a2a(String name, String brief, String whenToUse, Schema input, ToolSpec.Action action) {
        return new ToolSpec(name, brief, whenToUse, input.json(), action, Section.A2A, false);
    }

    private static ToolSpec handsOn(String name, String brief, String whenToUse, Schema input, ToolSpec.Action action) {
        return new ToolSpec(name, brief, whenToUse, input.json(), action, Section.A2A, true);
    }

    private static ToolSpec memory(String name, String brief, String whenToUse, Schema input, ToolSpec.Action action) {
        return new ToolSpec(name, brief, whenToUse, input.json(), action, Section.MEMORY, false);
    }
}
