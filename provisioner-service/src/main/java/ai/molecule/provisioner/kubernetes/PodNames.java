package ai.molecule.provisioner.kubernetes;

import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How the objects of one workspace are called and labelled. Everything carries {@link #MANAGED} and {@link #ID}; a pod carries
 * {@link #PARENT} too, the one label that a move changes.
 */
record PodNames(UUID workspaceId) {

    static final String MANAGED = "molecule.ai/managed";
    static final String ID = "molecule.ai/id";
    static final String PARENT = "molecule.ai/parent";

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

    Map<String, String> podLabels(@Nullable UUID parentId) {
        return Map.of(MANAGED, "true", ID, workspaceId.toString(), PARENT, parentOf(parentId));
    }

    static String parentOf(@Nullable UUID parentId) {
        return parentId == null ? NO_PARENT : parentId.toString();
    }
}
