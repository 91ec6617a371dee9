package ai.molecule.runtime.tools;

import ai.molecule.sdk.PlatformException;
import ai.molecule.sdk.WorkspaceClient;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Notes in a workspace's own activity what it asked a peer and what came of it, so that people see both sides; the platform itself
 * notes it with the peer. One that does not take the note changes nothing.
 */
public final class PeerActivity {

    private static final int SUMMARY_MAX_CHARS = 256;
    private static final int REASON_MAX_CHARS = 120;
    private static final int DETAIL_MAX_CHARS = 4096;

    private PeerActivity() {}

    /** @param messageId of the message by which it is asked, so that the platform, which carries it, does not tell it as well */
    public static void asked(WorkspaceClient source, String target, String name, String task, String messageId) {
        ObjectNode note =
                note(source, target, "a2a_send", "Delegating to " + name, "ok").put("message_id", messageId);
        note.putObject("request_body").put("task", task);
        tell(source, note);
    }

    public static void answered(WorkspaceClient source, String target, String name, String answer) {
        String summary = name + " responded (" + answer.length() + " chars)";
        ObjectNode note = note(source, target, "a2a_receive", summary, "ok");
        note.putObject("response_body").put("result", answer);
        tell(source, note);
    }

    public static void failed(WorkspaceClient source, String target, String name, String reason) {
        String summary = name + " failed: " + Excerpt.of(reason, REASON_MAX_CHARS);
        tell(
                source,
                note(source, target, "a2a_receive", summary, "error")
                        .put("error_detail", Excerpt.of(reason, DETAIL_MAX_CHARS)));
    }

    private static ObjectNode note(WorkspaceClient source, String target, String type, String summary, String status) {
        return Json.object()
                .put("activity_type", type)
                .put("source_id", source.id())
                .put("target_id", target)
                .put("method", "message/send")
                .put("summary", Excerpt.of(summary, SUMMARY_MAX_CHARS))
                .put("status", status);
    }

    private static void tell(WorkspaceClient source, ObjectNode note) {
        try {
            source.reportActivity(note);
        } catch (PlatformException notNoted) {
            // best effort
        }
    }
}
