package ai.molecule.registry.workspaces;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.provisioner.TierFits;
import ai.molecule.common.workspaces.RuntimeNames;
import io.vertx.core.Future;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Has whoever starts agents say whether a tier is large enough for a program, before a workspace of it is made or changed. */
public record ProgramTiers(Bus bus) {

    /** Of a workspace to be made. Fails with INVALID and what to do. */
    Future<Void> check(NewWorkspace workspace) {
        return check(workspace.runtime(), workspace.tier(), workspace.template(), null);
    }

    /** Of one that is there, where its tier or runtime changes: one that was too small before may be renamed. */
    Future<Void> check(Workspace before, WorkspacePatch patch) {
        int tier = patch.tier() == null ? before.tier() : patch.tier();
        String runtime = patch.runtime() == null ? before.runtime() : patch.runtime();
        return tier == before.tier() && runtime.equals(before.runtime())
                ? Future.succeededFuture()
                : check(runtime, tier, null, before.id());
    }

    /** Nobody is asked about what is no program of others; where nobody answers, the start says it. */
    private Future<Void> check(String runtime, int tier, @Nullable String template, @Nullable UUID id) {
        return RuntimeNames.PROGRAMS.contains(runtime)
                ? bus.call(TierFits.CONTRACT, new TierFits(runtime, tier, template, id))
                        .otherwise(new TierFits.Answer(null))
                        .compose(said -> said.refusal() == null
                                ? Future.succeededFuture()
                                : Future.failedFuture(ApiError.invalid(said.refusal())))
                : Future.succeededFuture();
    }
}
