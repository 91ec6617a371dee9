package ai.molecule.provisioner.docker;

import ai.molecule.common.bus.registry.ManagedWorkspace;
import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What our containers and volumes are called, and the labels by which they are known. All of it is made of ids, never of what
 * people typed.
 *
 * @param platform the value of the label that tells platforms on one engine apart
 */
record Names(String platform) {

    /** Of every container and volume of any platform (registry contract, 12). */
    static final String MANAGED = "molecule.platform.managed";

    static final String PLATFORM = "molecule.platform.id";
    static final String WORKSPACE = "molecule.workspace.id";

    /** {@code agent}, or {@code files} for a container that only lends its mounts. */
    static final String ROLE = "molecule.role";

    static final String TENANT = "molecule.tenant";

    private static final int SHORT_ID = 12;

    /** {@code ws-} and the first 12 characters of the id; also its name in the network. */
    static String container(UUID workspaceId) {
        return "ws-" + workspaceId.toString().substring(0, SHORT_ID);
    }

    static String volume(UUID workspaceId, Root root) {
        return switch (root) {
            case WORKSPACE -> "ws-" + workspaceId + "-workspace";
            case CONFIGS, HOME, PLUGINS ->
                container(workspaceId) + "-" + root.name().toLowerCase(Locale.ROOT);
        };
    }

    /** Of what Claude Code keeps of its conversations (registry contract, 12). */
    static String sessions(UUID workspaceId) {
        return container(workspaceId) + "-claude-sessions";
    }

    /** Every volume a workspace may have. */
    static List<String> volumes(UUID workspaceId) {
        return Stream.concat(
                        Arrays.stream(Root.values()).map(root -> volume(workspaceId, root)),
                        Stream.of(sessions(workspaceId)))
                .toList();
    }

    /** Where an agent sees a root. */
    static String folder(Root root) {
        return "/" + root.name().toLowerCase(Locale.ROOT);
    }

    JsonObject labels(UUID workspaceId) {
        return new JsonObject().put(MANAGED, "true").put(PLATFORM, platform).put(WORKSPACE, workspaceId.toString());
    }

    /** With whose it is, where it is a tenant's; they are known without that. */
    JsonObject labels(ManagedWorkspace workspace) {
        var labels = labels(workspace.id());
        return workspace.tenant() == null ? labels : labels.put(TENANT, workspace.tenant());
    }

    boolean isOurs(@Nullable JsonObject labels, UUID workspaceId) {
        return labels != null
                && labels(workspaceId).stream()
                        .allMatch(label -> label.getValue().equals(labels.getValue(label.getKey())));
    }

    /** The engine's filter for our agents' containers, of one workspace or of all. */
    JsonObject agents(Optional<UUID> workspaceId) {
        var labels = new ArrayList<>(List.of(MANAGED + "=true", PLATFORM + "=" + platform, ROLE + "=agent"));
        workspaceId.ifPresent(id -> labels.add(WORKSPACE + "=" + id));
        return new JsonObject().put("label", new JsonArray(labels));
    }

    /** The engine's filter for containers that lend their mounts. */
    JsonObject helpers() {
        return new JsonObject()
                .put("label", new JsonArray(List.of(MANAGED + "=true", PLATFORM + "=" + platform, ROLE + "=files")));
    }

    /** The engine's filter for everything of this platform. */
    JsonObject everything() {
        return new JsonObject().put("label", new JsonArray(List.of(MANAGED + "=true", PLATFORM + "=" + platform)));
    }

    /** The engine's filter for everything of one workspace. */
    JsonObject everythingOf(UUID workspaceId) {
        return new JsonObject()
                .put(
                        "label",
                        new JsonArray(
                                List.of(MANAGED + "=true", PLATFORM + "=" + platform, WORKSPACE + "=" + workspaceId)));
    }
}
