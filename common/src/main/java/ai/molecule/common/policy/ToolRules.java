package ai.molecule.common.policy;

import io.vertx.core.Future;
import java.util.Optional;
import java.util.UUID;

/** What rules of the policy say of tools of the platform. */
@FunctionalInterface
public interface ToolRules {

    /** The tool that {@code POST /workspaces/:id/delegate} is. */
    String DELEGATE = "delegate_task_async";

    /** Why a workspace may not call a tool; empty where it may. Fails with UNAVAILABLE where nobody can tell. */
    Future<Optional<String>> refusal(UUID workspace, String tool);
}
