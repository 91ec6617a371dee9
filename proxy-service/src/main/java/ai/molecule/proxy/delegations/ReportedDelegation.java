package ai.molecule.proxy.delegations;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.http.JsonBody;
import java.util.UUID;

/** A delegation that its source carries out by itself and only tells of. */
public record ReportedDelegation(UUID source, UUID target, String delegationId, String task) {

    /** An id is part of an index. */
    static final int ID_MAX_CHARS = 512;

    static ReportedDelegation of(UUID source, JsonBody body) {
        String target = body.requiredText("target_id");
        String delegationId = body.requiredText("delegation_id");
        String task = body.requiredText("task");
        if (delegationId.length() > ID_MAX_CHARS) {
            throw body.bad();
        }
        return new ReportedDelegation(
                source,
                Ids.find(target).orElseThrow(() -> ApiError.invalid("target_id must be a valid UUID")),
                delegationId,
                task);
    }
}
