package ai.molecule.provisioner.kubernetes;

import ai.molecule.common.bus.registry.ManagedWorkspace;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How the objects of one workspace are called and labelled. Everything carries {@link #MANAGED} and {@link #ID}; a pod carries
 * {@link #PARENT} too, the one label that a move changes. A name ends after 12 characters of the id, which a stranger may choose
 * alike: whose an object is, its label says, and nothing is done to one before it was asked.
 */
record PodNames(UUID workspaceId) {

    static final String MANAGED = "molecule.ai/managed";
    static final String ID = "molecule.ai/id";
    static final String PARENT = "molecule.ai/parent";

    /** Whose it is, where it is a tenant's: to be counted and selected by; no policy asks. */
    static final String TENANT = "molecule.ai/tenant";

    private static final Pattern LABEL = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?");

    /** On the pod of a workspace that a person cut off, until it is gone: no policy lets it out, or anybody in. */
    static final String QUARANTINED = "molecule.ai/quarantined";

    /** In place of {@link #ID} on the pod that opens files: neither the agent's service nor its policies shall select that one. */
    static final String FILES_OF = "molecule.ai/files-of";

    /** What {@link #PARENT} says of a workspace without one. */
    static final String NO_PARENT = "none";

    /** As many characters of the id as the registry contract puts into an agent's name (12). */
    private static final int ID_CHARS = 12;

    /** Of the pod, its service, its secret and its volume claim. */
    String name() {
        return "ws-" + workspaceId.toString().substring(0, ID_CHARS);
    }

    /** Of the pod that opens the volume of a workspace whose agent does not run. */
    String filesPod() {
        return name() + "-files";
    }

    /** Of the secret with what a start lays into its volume. */
    String initial() {
        return name() + "-initial";
    }

    /** Of the policy that lets the workspace's children reach it. */
    String fence() {
        return name() + "-from-children";
    }

    /** Of the policy that lets the workspace's children reach each other, and it reach them. */
    String childrenFence() {
        return name() + "-among-children";
    }

    Map<String, String> labels() {
        return Map.of(MANAGED, "true", ID, workspaceId.toString());
    }

    Map<String, String> filesLabels() {
        return Map.of(MANAGED, "files", FILES_OF, workspaceId.toString());
    }

    boolean own(HasMetadata found) {
        return ownerOf(found).equals(workspaceId.toString());
    }

    /** The id of the workspace it is labelled with; empty for what is nobody's. */
    static String ownerOf(HasMetadata found) {
        var labels = Objects.requireNonNullElse(found.getMetadata().getLabels(), Map.<String, String>of());
        return Optional.ofNullable(labels.get(ID))
                .or(() -> Optional.ofNullable(labels.get(FILES_OF)))
                .orElse("");
    }

    Map<String, String> podLabels(ManagedWorkspace workspace) {
        Map<String, String> labels = new HashMap<>(labels());
        labels.put(PARENT, parentOf(workspace.circle()));
        if (workspace.tenant() != null) {
            labels.put(TENANT, labelOf(workspace.tenant()));
        }
        return labels;
    }

    /** A tenant's name as Kubernetes takes one in a label; what does not fit is told by a hash of it. */
    static String labelOf(String tenant) {
        return LABEL.matcher(tenant).matches()
                ? tenant
                : UUID.nameUUIDFromBytes(tenant.getBytes(StandardCharsets.UTF_8))
                        .toString();
    }

    static String parentOf(@Nullable UUID parentId) {
        return parentId == null ? NO_PARENT : parentId.toString();
    }
}
