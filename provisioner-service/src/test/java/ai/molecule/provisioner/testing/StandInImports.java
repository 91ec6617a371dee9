package ai.molecule.provisioner.testing;

import static ai.molecule.provisioner.testing.WorkspaceBuilder.workspace;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.CheckWorkspaces;
import ai.molecule.common.bus.registry.CreateWorkspaces;
import ai.molecule.common.bus.registry.DescribeBranch;
import ai.molecule.common.bus.registry.ManagedWorkspace.Desired;
import ai.molecule.common.bus.registry.SetIdleMinutes;
import ai.molecule.common.workspaces.WorkspaceStatus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Workspaces created in batches, for imports of organisations and bundles, and what is told of them for an export. */
public final class StandInImports {

    private final Map<UUID, Integer> idle = new HashMap<>();
    private final List<CreateWorkspaces> requests = new ArrayList<>();
    private final List<CreateWorkspaces.Item> created = new ArrayList<>();

    StandInImports() {}

    public synchronized List<CreateWorkspaces> requests() {
        return List.copyOf(requests);
    }

    /** What all batches asked for, in their order. */
    public synchronized List<CreateWorkspaces.Item> created() {
        return List.copyOf(created);
    }

    /** As the registry does it. */
    synchronized SetIdleMinutes.Done set(SetIdleMinutes wanted) {
        wanted.workspaces().forEach(one -> idle.put(one.id(), one.minutes()));
        return new SetIdleMinutes.Done(wanted.workspaces().size());
    }

    /** Minutes by workspace, as they were set. */
    public synchronized Map<UUID, Integer> idle() {
        return Map.copyOf(idle);
    }

    synchronized void forgetAll() {
        created.clear();
    }

    synchronized CreateWorkspaces.Created create(CreateWorkspaces request, StandInWorkspaces workspaces) {
        requests.add(request);
        check(new CheckWorkspaces(request.workspaces()));
        for (var item : request.workspaces()) {
            created.add(item);
            var agent = item.agent();
            if (!agent.external()) {
                workspaces.put(workspace(item.id())
                        .name(item.name())
                        .role(item.role())
                        .tier(agent.tier())
                        .runtime(String.valueOf(agent.runtime()))
                        .model(agent.model())
                        .template(agent.template())
                        .parent(item.parentId())
                        .lent(agent.workspaceDir(), "none")
                        .status(firstStatus(item))
                        .desired(item.start() ? Desired.RUNNING : Desired.PAUSED)
                        .build());
            }
        }
        return new CreateWorkspaces.Created(request.workspaces().stream()
                .map(item -> new CreateWorkspaces.Entry(item.id(), firstStatus(item)))
                .toList());
    }

    CheckWorkspaces.Checked check(CheckWorkspaces request) {
        for (var item : request.workspaces()) {
            if (item.name().contains("\n")) {
                throw ApiError.invalid(
                        "workspace \"%s\": name must not contain newline characters".formatted(item.name()));
            }
        }
        return new CheckWorkspaces.Checked(request.workspaces().size());
    }

    private static WorkspaceStatus firstStatus(CreateWorkspaces.Item item) {
        return item.start() ? WorkspaceStatus.PROVISIONING : WorkspaceStatus.PAUSED;
    }

    synchronized DescribeBranch.Branch describe(DescribeBranch question) {
        List<DescribeBranch.Member> members = new ArrayList<>();
        for (var item : created) {
            boolean below = members.stream().anyMatch(member -> member.id().equals(item.parentId()));
            if (below || item.id().equals(question.workspaceId())) {
                var agent = item.agent();
                members.add(new DescribeBranch.Member(
                        item.id(),
                        item.parentId(),
                        item.name(),
                        item.role(),
                        agent.tier(),
                        String.valueOf(agent.runtime()),
                        agent.model(),
                        agent.external(),
                        agent.url() == null ? "" : agent.url(),
                        agent.maxConcurrentTasks(),
                        idle.get(item.id()),
                        item.agentCard()));
            }
        }
        return new DescribeBranch.Branch(members);
    }
}
