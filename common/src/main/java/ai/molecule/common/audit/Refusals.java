package ai.molecule.common.audit;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** x */
public final class Refusals {
    /** x */
    public record Refused(
            String verb,
            @Nullable UUID workspaceId,
            String route,
            String reason,
            ObjectNode detail,
            Actor who) {}
}
