package ai.molecule.registry.lifecycle;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.ManagedWorkspace.Desired;
import ai.molecule.common.bus.registry.SetDesired;
import ai.molecule.common.json.Json;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.registry.lifecycle.Branch.Member;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Decides, from a branch as it stands, which intents a request means. Pure: no clock, no database. */
final class Plan {

    /** To somebody of a branch, who may neither release nor remove what the organisation quarantined. */
    static final String QUARANTINED_BY_ORGANISATION =
            "the organization quarantined this workspace, or one below it — ask an operator of the organization to release it";

    private Plan() {}

    /** Fails with the contract's NOT_FOUND and CONFLICT; empty when the expected incarnation is no longer current. */
    static List<Intent> of(SetDesired request, Branch branch) {
        return switch (request.action()) {
            case RESTART -> restart(request, branch);
            case PAUSE -> pause(branch);
            case RESUME -> resume(request, branch);
        };
    }

    /** The whole branch, the lowest first and the workspace itself last: whoever watches never sees one without its parent. */
    static List<Intent> removal(Branch branch, boolean ofBranch) {
        refuseContained(Stream.concat(branch.root().stream(), branch.descendants()), ofBranch);
        long below = branch.descendants().count();
        return Stream.concat(branch.root().stream(), branch.descendants()).toList().reversed().stream()
                .flatMap(member -> intent(
                        member,
                        Desired.REMOVED,
                        member.incarnation(),
                        null,
                        Trigger.REMOVAL,
                        removed(member, branch, below)))
                .toList();
    }

    /** Everything below goes, as by a removal of each child: the lowest first. */
    static List<Intent> collapse(Branch branch, boolean ofBranch) {
        if (branch.root().isEmpty()) {
            throw ApiError.notFound("workspace not found");
        }
        refuseContained(branch.descendants(), ofBranch);
        return branch.descendants().toList().reversed().stream()
                .flatMap(member -> intent(
                        member,
                        Desired.REMOVED,
                        member.incarnation(),
                        null,
                        Trigger.REMOVAL,
                        RecordedEvent.of("WORKSPACE_REMOVED")))
                .toList();
    }

    /** Whoever has a branch removes nobody whom the organisation quarantined: that would be the end of it. */
    private static void refuseContained(Stream<Member> members, boolean ofBranch) {
        if (ofBranch && members.anyMatch(Member::quarantinedByOrganisation)) {
            throw ApiError.forbidden(QUARANTINED_BY_ORGANISATION);
        }
    }

    static RecordedEvent collapsed(Branch branch) {
        var payload = Json.object();
        var names = payload.putArray("removed_children");
        branch.children().map(Member::name).forEach(names::add);
        return new RecordedEvent("WORKSPACE_COLLAPSED", payload);
    }

    private static List<Intent> restart(SetDesired request, Branch branch) {
        var root = branch.root().orElseThrow(() -> ApiError.notFound("workspace not found"));
        var expected = request.expectedIncarnation();
        if (expected != null && (root.incarnation() != expected || root.desired() != Desired.RUNNING)) {
            return List.of();
        }
        refuseQuarantined(root);
        refuseHeld(request, root);
        refuseBelowPaused(branch);
        return start(root, request.runtime(), Trigger.RESTART).toList();
    }

    /** Whoever is not asleep stays as it is. */
    static List<Intent> wake(Branch branch) {
        var root = branch.root().orElseThrow(() -> ApiError.notFound("workspace not found"));
        if (root.status() != WorkspaceStatus.HIBERNATED) {
            return List.of();
        }
        refuseQuarantined(root);
        refuseBelowPaused(branch);
        return start(root, null, Trigger.WAKING).toList();
    }

    /** Those of the workspaces that still run. */
    static List<Intent> quarantine(List<Member> meant) {
        return pauses(meant.stream()).toList();
    }

    private static List<Intent> pause(Branch branch) {
        var root = branch.root()
                .filter(member -> member.status() != WorkspaceStatus.PAUSED)
                .orElseThrow(() -> ApiError.notFound("workspace not found or already paused"));
        return pauses(Stream.concat(Stream.of(root), branch.descendants())).toList();
    }

    private static Stream<Intent> pauses(Stream<Member> members) {
        return members.filter(member -> member.status() != WorkspaceStatus.PAUSED)
                .flatMap(member -> intent(
                        member,
                        Desired.PAUSED,
                        member.incarnation(),
                        null,
                        Trigger.PAUSE,
                        RecordedEvent.of("WORKSPACE_PAUSED")));
    }

    private static List<Intent> resume(SetDesired request, Branch branch) {
        var root = branch.root()
                .filter(member -> member.status() == WorkspaceStatus.PAUSED)
                .orElseThrow(() -> ApiError.notFound("workspace not found or not paused"));
        refuseQuarantined(root);
        refuseHeld(request, root);
        refuseBelowPaused(branch);
        var cutOff = branch.atOrBelow(member -> member.quarantined() || isHeld(request, member));
        return Stream.concat(Stream.of(root), branch.descendants())
                .filter(member -> member.status() == WorkspaceStatus.PAUSED && !cutOff.contains(member.id()))
                .flatMap(member -> start(member, null, Trigger.RESUME))
                .toList();
    }

    private static void refuseQuarantined(Member root) {
        if (root.quarantined()) {
            throw ApiError.conflict("workspace is quarantined");
        }
    }

    /** Whether it is paused by the organisation, and a branch asks. */
    private static boolean isHeld(SetDesired request, Member member) {
        return request.ofBranch() && member.status() == WorkspaceStatus.PAUSED && member.pausedByOrganisation();
    }

    private static void refuseHeld(SetDesired request, Member root) {
        if (isHeld(request, root)) {
            throw ApiError.forbidden(
                    "the organization paused this workspace — ask an operator of the organization to resume it");
        }
    }

    private static void refuseBelowPaused(Branch branch) {
        branch.pausedAncestor().ifPresent(name -> {
            throw ApiError.conflict("parent workspace \"%s\" is paused — resume it first".formatted(name));
        });
    }

    private static Stream<Intent> start(Member member, @Nullable String runtime, Trigger trigger) {
        String named = runtime == null || runtime.isEmpty() ? null : runtime;
        var payload = Json.object().put("tier", member.tier()).put("runtime", named == null ? member.runtime() : named);
        return intent(
                member,
                Desired.RUNNING,
                member.incarnation() + 1,
                named,
                trigger,
                new RecordedEvent("WORKSPACE_PROVISIONING", payload));
    }

    private static RecordedEvent removed(Member member, Branch branch, long below) {
        var payload = Json.object();
        if (branch.root().filter(member::equals).isPresent()) {
            payload.put("cascade_deleted", below);
        }
        return new RecordedEvent("WORKSPACE_REMOVED", payload);
    }

    /** An agent that runs elsewhere is not stopped by us and does not register again by itself: its URL stays. */
    private static Stream<Intent> intent(
            Member member,
            Desired desired,
            int incarnation,
            @Nullable String runtime,
            Trigger trigger,
            RecordedEvent event) {
        Optional<StatusChange> change = StatusChange.decide(member.id(), member.status(), trigger, event);
        boolean forgetUrl = !member.runsElsewhere() || desired == Desired.REMOVED;
        return change.stream()
                .map(legal -> new Intent(
                        member.id(),
                        desired,
                        incarnation,
                        runtime == null ? member.runtime() : runtime,
                        runtime,
                        forgetUrl,
                        legal));
    }
}
