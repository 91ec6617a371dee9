package ai.molecule.registry.approvals;

import ai.molecule.common.ApiError;
import ai.molecule.common.http.JsonBody;

/** What was decided, and by whom. */
public record Decision(boolean approved, String decidedBy) {

    private static final String DECIDED_BY_DEFAULT = "human";

    static Decision of(JsonBody body) {
        String decision = body.requiredText("decision");
        if (!decision.equals("approved") && !decision.equals("denied")) {
            throw ApiError.invalid("decision must be 'approved' or 'denied'");
        }
        String decidedBy = body.text("decided_by", "");
        return new Decision(decision.equals("approved"), decidedBy.isEmpty() ? DECIDED_BY_DEFAULT : decidedBy);
    }

    /** The status it leads to. */
    String status() {
        return approved ? "approved" : "denied";
    }
}
