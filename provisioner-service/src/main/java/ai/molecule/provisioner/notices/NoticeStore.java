package ai.molecule.provisioner.notices;

import io.vertx.core.Future;
import java.util.UUID;

/** Where notices are told. */
public interface NoticeStore {

    /**
     * Appends {@code WORKSPACE_PRIVILEGES_WITHHELD}: the agent runs with less than its tier promises (decision 20).
     *
     * @param reason one sentence
     */
    Future<Void> privilegesWithheld(UUID workspaceId, int tier, String reason);
}
