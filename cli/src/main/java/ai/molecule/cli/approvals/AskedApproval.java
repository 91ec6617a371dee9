package ai.molecule.cli.approvals;

import ai.molecule.cli.http.PlatformApi;
import ai.molecule.common.text.VisibleText;
import ai.molecule.sdk.ApprovalDigest;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.json.JsonObject;
import java.io.IOException;

/**
 * What an agent asks, as it is shown. A decision names the digest of that, which is computed here: what the platform has may be something else.
 *
 * @param context all that there is beside the words; empty for nothing
 * @param isWhole whether that is all that is asked, none of it cut
 * @param named the digest that the platform names; empty from one without digests, which is sent none
 */
public record AskedApproval(
        String id,
        String workspaceId,
        String action,
        String reason,
        JsonObject context,
        boolean isWhole,
        String named) {

    /** As an inbox cuts a text, which then ends with an ellipsis. */
    private static final int CUT_AT_CHARS = 2_000;

    /** So much of a digest names it: nobody finds another that begins so. */
    public static final int DIGEST_MIN_CHARS = 16;

    private static final ObjectMapper JSON = new ObjectMapper();

    /** A row of {@code GET /approvals/pending}, which is whole. */
    public static AskedApproval ofPending(JsonObject row) {
        return new AskedApproval(
                text(row, "id"),
                text(row, "workspace_id"),
                text(row, "action"),
                text(row, "reason"),
                context(row),
                true,
                text(row, "digest"));
    }

    /** A row of {@code GET /inbox} of the kind {@code approval}. */
    public static AskedApproval ofInbox(JsonObject row) {
        var details = row.getValue("details") instanceof JsonObject said ? said : new JsonObject();
        boolean told = details.containsKey("action");
        String action = text(told ? details : row, told ? "action" : "text");
        String reason = text(details, "reason");
        boolean all = !Boolean.TRUE.equals(details.getValue("context_left_out"))
                && (!details.containsKey("context") || details.getValue("context") instanceof JsonObject);
        return new AskedApproval(
                text(details, "approval_id"),
                text(row, "workspace_id"),
                action,
                reason,
                context(details),
                all && !(told ? isCut(action) : action.endsWith("…")) && !isCut(reason),
                text(details, "digest"));
    }

    /** The same on one line, for a person who decides. */
    public String shownContext() {
        return context.isEmpty() ? "" : VisibleText.line(context.encode());
    }

    /** Of what is shown; empty where the platform has none. */
    public String digest() {
        return named.isEmpty() ? "" : ApprovalDigest.of(action, reason, tree());
    }

    /** @param decision {@code approved} or {@code denied} */
    public PlatformApi.Answer decide(PlatformApi api, String decision) throws IOException {
        var body = new JsonObject().put("decision", decision).put("shown", "terminal");
        String digest = digest();
        return api.call(
                "POST",
                "/workspaces/%s/approvals/%s/decide"
                        .formatted(PlatformApi.segment(workspaceId), PlatformApi.segment(id)),
                digest.isEmpty() ? body : body.put("digest", digest));
    }

    private ObjectNode tree() {
        try {
            return (ObjectNode) JSON.readTree(context.encode());
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static boolean isCut(String text) {
        return text.endsWith("…") && text.length() >= CUT_AT_CHARS - 1;
    }

    private static JsonObject context(JsonObject of) {
        return of.getValue("context") instanceof JsonObject said ? said : new JsonObject();
    }

    private static String text(JsonObject of, String member) {
        return of.getValue(member) instanceof String said ? said : "";
    }
}
