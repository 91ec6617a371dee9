package ai.molecule.registry.approvals;

import ai.molecule.common.http.JsonBody;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What an agent asks for.
 *
 * @param taskId empty when not said, like {@code reason}
 * @param context whatever helps to decide; kept, shown to nobody yet
 */
public record NewApproval(
        UUID id,
        String action,
        String taskId,
        String reason,
        @Nullable ObjectNode context) {

    static NewApproval of(JsonBody body, UUID id) {
        return new NewApproval(
                id,
                body.requiredText("action"),
                body.text("task_id", ""),
                body.text("reason", ""),
                body.object("context"));
    }
}
