package ai.molecule.cli.top;

import ai.molecule.cli.approvals.AskedApproval;
import ai.molecule.cli.approvals.Decider;
import ai.molecule.common.approvals.ShownDeciders;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What waits for a person: the inbox, decisions first. */
final class Needs {

    static final int ROWS_MAX = 200;

    /**
     * A row of it.
     *
     * @param approval the id of what can be approved or denied, empty for anything else
     * @param reason why it is asked, empty where nobody said
     * @param shown what would be done with it, whole, as JSON: the arguments of the call that is asked for; empty where there are none
     * @param asked what is decided with it, where it can be
     * @param deciders who decides it, where a rule says so
     */
    record Need(
            String id,
            String kind,
            String agent,
            String text,
            String reason,
            String shown,
            String approval,
            Optional<AskedApproval> asked,
            Optional<ShownDeciders> deciders,
            String since) {

        boolean isDecision() {
            return !approval.isEmpty();
        }
    }

    private List<Need> rows = List.of();
    private int waiting;

    /** What {@code GET /inbox} said. */
    void replace(JsonObject inbox) {
        var decide = new ArrayList<Need>();
        var mend = new ArrayList<Need>();
        for (Object each : inbox.getJsonArray("rows", new JsonArray())) {
            if (each instanceof JsonObject row) {
                ("decide".equals(row.getValue("part")) ? decide : mend).add(need(row));
            }
        }
        decide.addAll(mend);
        rows = decide.subList(0, Math.min(decide.size(), ROWS_MAX));
        var counted = inbox.getJsonObject("waiting", new JsonObject());
        waiting = Math.max(rows.size(), Seat.number(counted, "decide") + Seat.number(counted, "fix"));
    }

    private static Need need(JsonObject row) {
        boolean isApproval = "approval".equals(row.getValue("kind"));
        var asked = isApproval ? Optional.of(AskedApproval.ofInbox(row)) : Optional.<AskedApproval>empty();
        return new Need(
                text(row, "id"),
                text(row, "kind"),
                text(row, "workspace_id"),
                asked.map(one -> Seat.shown(one.action())).orElseGet(() -> text(row, "text")),
                text(row.getJsonObject("details", new JsonObject()), "reason"),
                asked.map(Needs::arguments).orElse(""),
                asked.map(AskedApproval::id).orElse(""),
                asked,
                isApproval ? Decider.decidersOf(row.getJsonObject("details", new JsonObject())) : Optional.empty(),
                text(row, "since"));
    }

    /** Longer ones are cut: they are beyond what the screen asks about ({@link Dashboard#APPROVAL_MAX_COLUMNS}) either way. */
    private static String arguments(AskedApproval asked) {
        String json = asked.shownContext();
        return json.substring(0, Math.min(json.length(), 2 * Dashboard.APPROVAL_MAX_COLUMNS));
    }

    private static String text(JsonObject row, String member) {
        return row.getValue(member) instanceof String said ? Seat.shown(said) : "";
    }

    List<Need> rows() {
        return rows;
    }

    /** How many, also of those that are on no row here. */
    int waiting() {
        return waiting;
    }

    /** What is to be decided for it first. */
    Optional<Need> decisionOf(String agent) {
        return rows.stream()
                .filter(need -> need.isDecision() && need.agent().equals(agent))
                .findFirst();
    }

    /** Somebody decided; whether the platform agrees, its next answer says. */
    void decided(String id) {
        int before = rows.size();
        rows = rows.stream().filter(need -> !need.id().equals(id)).toList();
        waiting -= before - rows.size();
    }
}
