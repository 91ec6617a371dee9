package ai.molecule.common.directory;

import ai.molecule.common.bus.registry.Directory.Entry;
import ai.molecule.common.bus.registry.Directory.Snapshot;
import ai.molecule.common.workspaces.AccessRule;
import ai.molecule.common.workspaces.TenantName;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Everybody's name and place as of one answer of the registry.
 *
 * @param circles the members of each: a parent's children by that parent, roots by their tenant's or by none
 * @param askedAtNanos when the question was sent, by {@link System#nanoTime}
 */
public record OrgChart(
        Map<UUID, Entry> entries, AccessRule rule, Map<Optional<UUID>, List<UUID>> circles, long askedAtNanos) {

    static OrgChart of(Snapshot snapshot, long askedAtNanos) {
        var entries = snapshot.workspaces().stream()
                .collect(Collectors.toUnmodifiableMap(Entry::id, Function.identity(), (one, same) -> same));
        var circles = snapshot.workspaces().stream()
                .collect(Collectors.groupingBy(
                        entry -> Optional.ofNullable(entry.circle()),
                        Collectors.mapping(Entry::id, Collectors.toUnmodifiableList())));
        return new OrgChart(entries, snapshot.accessRule(), circles, askedAtNanos);
    }

    /** Removed workspaces are found too. */
    public Optional<Entry> find(UUID workspaceId) {
        return Optional.ofNullable(entries.get(workspaceId));
    }

    /** Whether an agent of the one may hear of the other. Whom nobody let in hears itself alone, and is heard by no other agent. */
    public boolean mayHear(UUID agent, UUID about) {
        return agent.equals(about) || (isAdmitted(agent) && isAdmitted(about) && rule.allows(agent, about));
    }

    /** Itself, and all of its own circle and of that around it: whoever {@linkplain #mayHear may hear} of it is among them. */
    public Set<UUID> near(UUID workspaceId) {
        Set<UUID> near = new HashSet<>(circles.getOrDefault(Optional.of(workspaceId), List.of()));
        near.add(workspaceId);
        find(workspaceId).ifPresent(entry -> {
            near.addAll(circles.getOrDefault(Optional.ofNullable(entry.circle()), List.of()));
            if (entry.circle() != null) {
                near.add(entry.circle());
            }
        });
        return near;
    }

    /** Whether it is one of these, or below one. */
    public boolean isWithin(UUID workspaceId, Set<UUID> branches) {
        var seen = new HashSet<UUID>(); // of a chart that is being changed, no ring shall hold anybody
        var at = workspaceId;
        while (at != null && seen.add(at)) {
            if (branches.contains(at)) {
                return true;
            }
            at = find(at).map(Entry::parentId).orElse(null);
        }
        return false;
    }

    /** All that are one of these, or below one. */
    public Set<UUID> within(Set<UUID> branches) {
        return entries.keySet().stream().filter(id -> isWithin(id, branches)).collect(Collectors.toUnmodifiableSet());
    }

    /** All that belong to a tenant. */
    public Set<UUID> ofTenant(String tenant) {
        var scope = TenantName.scopeOf(tenant);
        return within(entries.values().stream()
                .filter(entry -> entry.parentId() == null && scope.equals(entry.circle()))
                .map(Entry::id)
                .collect(Collectors.toUnmodifiableSet()));
    }

    public boolean isAdmitted(UUID workspaceId) {
        return find(workspaceId).filter(Entry::admitted).isPresent();
    }
}
