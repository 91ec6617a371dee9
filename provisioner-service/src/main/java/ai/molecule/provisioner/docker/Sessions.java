package ai.molecule.provisioner.docker;

import ai.molecule.common.bus.registry.ManagedWorkspace;
import ai.molecule.provisioner.backend.Backend;
import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import ai.molecule.provisioner.containers.Tar;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.UUID;

/**
 * The volume of its own in which Claude Code keeps its conversations, mounted into its home: they can be forgotten without touching
 * anything else there (registry contract, 12).
 */
final class Sessions {

    /** Its name among what is lent to tools. */
    private static final String NAME = "sessions";

    private Sessions() {}

    static boolean haveVolume(ManagedWorkspace workspace) {
        return workspace.runtime().equals(Backend.KEEPS_SESSIONS);
    }

    static JsonObject ofAgent(UUID workspaceId) {
        return volume(workspaceId).put("Target", Names.folder(Root.HOME) + "/" + Backend.SESSIONS);
    }

    static JsonObject ofTools(UUID workspaceId) {
        return volume(workspaceId).put("Target", folderOfTools());
    }

    static String folderOfTools() {
        return MountsLender.ROOTS + "/" + NAME;
    }

    /** The agent owns it, and the folder above it, which the engine would else make as root. */
    static void layInto(Tar tar) {
        tar.folder(
                MountsLender.nameOf(Root.HOME) + "/" + Backend.SESSIONS.names().getFirst());
        tar.folder(NAME);
    }

    static JsonArray listOfTools(UUID workspaceId) {
        return new JsonArray().add(ofTools(workspaceId));
    }

    private static JsonObject volume(UUID workspaceId) {
        return new JsonObject()
                .put("Type", "volume")
                .put("Source", Names.sessions(workspaceId))
                .put("VolumeOptions", new JsonObject().put("NoCopy", true));
    }
}
