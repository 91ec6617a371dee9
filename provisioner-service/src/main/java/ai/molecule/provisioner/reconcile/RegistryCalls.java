package ai.molecule.provisioner.reconcile;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.IssueStartToken;
import ai.molecule.common.bus.registry.ListManaged;
import ai.molecule.common.bus.registry.ManagedWorkspace;
import ai.molecule.common.bus.registry.RecordEndpoint;
import ai.molecule.common.bus.registry.SecretsFor;
import ai.molecule.common.bus.registry.SetDesired;
import ai.molecule.common.bus.registry.Transition;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.provisioner.backend.StartDelayed;
import ai.molecule.provisioner.backend.StartRefused;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The registry as straight calls from a virtual thread. Each fails when the registry did not answer; then nothing is concluded. */
record RegistryCalls(Bus bus) {

    static final int PAGE = 500;

    /** Null when the registry answered that it does not list the workspace. */
    @Nullable
    ManagedWorkspace find(UUID workspaceId) {
        var page = bus.call(ListManaged.CONTRACT, ListManaged.one(workspaceId)).await();
        return page.workspaces().stream().findFirst().orElse(null);
    }

    List<ManagedWorkspace> page(@Nullable UUID after) {
        return bus.call(ListManaged.CONTRACT, new ListManaged(null, after, PAGE))
                .await()
                .workspaces();
    }

    String issueToken(ManagedWorkspace workspace) {
        var question = new IssueStartToken(workspace.id(), workspace.incarnation());
        return bus.call(IssueStartToken.CONTRACT, question).await().token();
    }

    /** By name; fails with {@link StartRefused} when they cannot be decrypted, and with {@link StartDelayed} when a store outside gives none. */
    Map<String, String> secrets(ManagedWorkspace workspace) {
        var bundle = secretsOrDelayed(workspace);
        if (!bundle.failedKeys().isEmpty()) {
            boolean global = bundle.failedKeys().stream().anyMatch(key -> key.startsWith("global:"));
            throw new StartRefused("failed to decrypt %s secret".formatted(global ? "global" : "workspace"));
        }
        return bundle.values();
    }

    private SecretsFor.Bundle secretsOrDelayed(ManagedWorkspace workspace) {
        try {
            return bus.call(SecretsFor.CONTRACT, new SecretsFor(workspace.id())).await();
        } catch (ApiError error) {
            throw isOfAStore(error) ? new StartDelayed(error.publicMessage()) : error;
        }
    }

    /** To leave them out of what is quoted; empty where not all of them can be known. Fails when the registry does not answer. */
    Optional<Collection<String>> secretsToMask(ManagedWorkspace workspace) {
        try {
            var bundle = bus.call(SecretsFor.CONTRACT, new SecretsFor(workspace.id(), SecretsFor.Purpose.MASK))
                    .await();
            return bundle.failedKeys().isEmpty() ? Optional.of(bundle.values().values()) : Optional.empty();
        } catch (ApiError error) {
            if (isOfAStore(error)) {
                return Optional.empty();
            }
            throw error;
        }
    }

    private static boolean isOfAStore(ApiError error) {
        return error.details().containsKey("failed_keys");
    }

    boolean recordEndpoint(ManagedWorkspace workspace, String url, String internalUrl) {
        var endpoint = new RecordEndpoint(workspace.id(), workspace.incarnation(), url, internalUrl);
        return bus.call(RecordEndpoint.CONTRACT, endpoint).await().current();
    }

    Transition.Outcome offline(ManagedWorkspace workspace, Map<String, Object> payload) {
        return transition(workspace, WorkspaceStatus.OFFLINE, payload, null);
    }

    Transition.Outcome failed(ManagedWorkspace workspace, Map<String, Object> payload, String lastError) {
        return transition(workspace, WorkspaceStatus.FAILED, payload, lastError);
    }

    /** Whether the incarnation was still current, and so the restart is on its way. */
    boolean restart(ManagedWorkspace workspace) {
        var wish = new SetDesired(workspace.id(), SetDesired.Action.RESTART, null, workspace.incarnation());
        return !bus.call(SetDesired.CONTRACT, wish).await().changed().isEmpty();
    }

    private Transition.Outcome transition(
            ManagedWorkspace workspace, WorkspaceStatus to, Map<String, Object> payload, @Nullable String lastError) {
        var change = new Transition(workspace.id(), workspace.incarnation(), to, payload, lastError);
        return bus.call(Transition.CONTRACT, change).await();
    }
}
