package ai.molecule.registry.lifecycle;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.ManagedWorkspace.Desired;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.registry.workspaces.Workspace;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A workspace with everything below it, read while nobody else can change the org chart.
 *
 * @param members the workspace itself first, then its descendants, each behind its parent; empty when it does not exist. Removed
 *     ones included.
 * @param pausedAncestor the name of the nearest paused workspace above
 */
public record Branch(List<Member> members, Optional<String> pausedAncestor) {

    /** One workspace of a branch, as far as intents need it. */
    public record Member(
            UUID id,
            String name,
            @Nullable UUID parentId,
            int tier,
            String runtime,
            WorkspaceStatus status,
            Desired desired,
            int incarnation,
            boolean managed,
            boolean quarantined,
            boolean quarantinedByOrganisation,
            boolean pausedByOrganisation) {

        boolean removed() {
            return status == WorkspaceStatus.REMOVED;
        }

        /** Not started by the platform: external, or known only because its agent registered. */
        boolean runsElsewhere() {
            return !managed || runtime.equals(Workspace.EXTERNAL);
        }
    }

    /** @param found the workspace with this id and its descendants, in any order */
    static Branch of(UUID id, List<Member> found, Optional<String> pausedAncestor) {
        List<Member> members = new ArrayList<>();
        Map<UUID, List<Member>> below = new HashMap<>();
        for (var member : found) {
            if (member.id.equals(id)) {
                members.add(member);
            } else if (member.parentId != null) {
                below.computeIfAbsent(member.parentId, parent -> new ArrayList<>())
                        .add(member);
            }
        }
        for (int next = 0; next < members.size(); next++) {
            members.addAll(below.getOrDefault(members.get(next).id, List.of()));
        }
        return new Branch(List.copyOf(members), pausedAncestor);
    }

    /** The workspace itself, unless it does not exist or is removed. */
    Optional<Member> root() {
        return members.stream().findFirst().filter(member -> !member.removed());
    }

    /** Those below that are not removed. */
    Stream<Member> descendants() {
        return members.stream().skip(1).filter(member -> !member.removed());
    }

    /** The workspace itself, and those below it when the whole branch is meant. */
    List<Member> meant(boolean branch) {
        var root = root().orElseThrow(() -> ApiError.notFound("workspace not found"));
        return branch ? Stream.concat(Stream.of(root), descendants()).toList() : List.of(root);
    }

    /** Those and everybody below them. */
    Set<UUID> atOrBelow(Predicate<Member> those) {
        Set<UUID> cutOff = new HashSet<>();
        for (var member : members) {
            if (those.test(member) || (member.parentId != null && cutOff.contains(member.parentId))) {
                cutOff.add(member.id);
            }
        }
        return cutOff;
    }

    Stream<Member> children() {
        return members.stream()
                .findFirst()
                .map(root -> descendants().filter(member -> root.id.equals(member.parentId)))
                .orElse(Stream.of());
    }
}
