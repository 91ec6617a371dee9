package ai.molecule.events.notifications;

import ai.molecule.common.json.Json;
import ai.molecule.common.text.VisibleText;
import ai.molecule.events.chats.Decidable;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What somebody is told.
 *
 * @param id the same at every attempt, for receivers that must not act twice
 * @param event {@code waiting}, {@code digest} or {@code test}
 * @param kind of the inbox; null for what is no row of it
 * @param workspace whose it is, by its name or id; null for nobody's
 * @param text an agent's words, or the platform's, perhaps cut: for programs
 * @param whole what a person reads: all of what is to be decided, or that it is too long for a message
 * @param link to the one thing; empty where the platform does not know its own address
 * @param decidable the approval of the inbox that can be decided by who reads this alone; null for none
 */
record Note(
        String id,
        String event,
        Instant at,
        @Nullable String kind,
        @Nullable String workspaceId,
        @Nullable String workspace,
        String text,
        String whole,
        String link,
        @Nullable Decidable decidable) {

    /** A line. */
    String title() {
        return switch (event) {
            case "waiting" ->
                (workspace == null ? "An agent" : VisibleText.line(workspace)) + ": " + words(kind == null ? "" : kind);
            case "digest" -> "The last day";
            default -> "A test";
        };
    }

    ObjectNode toJson() {
        return Json.object()
                .put("id", id)
                .put("event", event)
                .put("at", Json.time(at))
                .put("kind", kind)
                .put("workspace_id", workspaceId)
                .put("workspace_name", workspace)
                .put("title", title())
                .put("text", text)
                .put("link", link);
    }

    private static String words(String kind) {
        return switch (kind) {
            case "approval" -> "may it?";
            case "question" -> "a question";
            case "budget", "limit" -> "money";
            case "price" -> "a model without a price";
            case "unusual_cost" -> "a run that costs more than usual";
            case "outcome_unknown" -> "done or not, nobody knows";
            case "stranger" -> "an agent that nobody invited";
            case "failed" -> "could not be started";
            case "degraded" -> "has errors";
            case "awaiting_agent" -> "waits for its agent";
            case "webhook" -> "a paused webhook";
            default -> "needs you";
        };
    }
}
