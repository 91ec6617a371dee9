package ai.molecule.provisioner.imports;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * An import that is under way.
 *
 * @param roots of the created trees: removing them removes everything
 * @param managed the topmost of those whose agents we run: resuming them resumes everything
 * @param start whether they are to be resumed
 * @param equipped whether all files are written
 */
public record OpenImport(UUID id, List<UUID> roots, List<UUID> managed, boolean start, boolean equipped) {

    /** @param workspaces parents before their children */
    static OpenImport of(List<ImportedWorkspace> workspaces, boolean start) {
        var items = workspaces.stream().map(ImportedWorkspace::item).toList();
        Set<UUID> ours = new HashSet<>();
        items.forEach(item -> ours.add(item.id()));
        var roots = items.stream()
                .filter(item -> item.parentId() == null || !ours.contains(item.parentId()))
                .map(item -> item.id())
                .toList();
        Set<UUID> covered = new HashSet<>();
        var managed = items.stream()
                .filter(item -> {
                    boolean below = item.parentId() != null && covered.contains(item.parentId());
                    if (below || !item.agent().external()) {
                        covered.add(item.id());
                    }
                    return !below && !item.agent().external();
                })
                .map(item -> item.id())
                .toList();
        return new OpenImport(UUID.randomUUID(), roots, managed, start, false);
    }
}
