package ai.molecule.registry.approvals;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.TaskApprovals;
import ai.molecule.registry.approvals.PgApprovalExport.ExportPage;
import ai.molecule.registry.approvals.PgApprovalExport.Period;
import ai.molecule.registry.approvals.PgApprovalExport.Place;
import ai.molecule.registry.approvals.PgApprovalStore.Page;
import ai.molecule.registry.deciders.ApprovalRuleService;
import ai.molecule.registry.passports.PgRecentAskers;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The rules about approvals. Looking at them decides nothing.
 *
 * @param rules who decides
 * @param askers who may be behind what an agent asks
 * @param pendingMax of one workspace at a time, so that one that asks much does not hide what others ask
 * @param changed told when one was asked for or ended
 */
public record ApprovalService(
        PgApprovalStore store,
        PgApprovalDecisions decisions,
        PgApprovalExport exported,
        ApprovalRuleService rules,
        PgRecentAskers askers,
        int pendingMax,
        Clock clock,
        Runnable changed) {

    private static final int LISTED_MAX = 50;
    private static final int SETTLED_AT_ONCE_MAX = 200;
    private static final int EXPORTED_AT_ONCE = 200;

    /**
     * What came of a decision.
     *
     * @param waits what it still waits for; null for one that is decided
     */
    public record Decided(Instant takesEffectAt, @Nullable String waits) {}

    /** @param bearer that it is asked with; null for none */
    Future<Void> request(UUID workspaceId, NewApproval asked, @Nullable String bearer) {
        var expiresAt = asked.expiry(clock.instant());
        return rules.requirementFor(workspaceId, asked.action(), asked.reason(), asked.context())
                .compose(required -> required.isEmpty()
                        ? Future.succeededFuture(asked)
                        : mayHaveAsked(workspaceId, asked, bearer).map(others -> asked.under(required.get(), others)))
                .compose(whole -> store.insert(workspaceId, whole, expiresAt, pendingMax, clock.instant()))
                .onSuccess(stored -> changed.run());
    }

    /** Nobody else where a passport or the credential names a person. */
    private Future<List<String>> mayHaveAsked(UUID workspaceId, NewApproval asked, @Nullable String bearer) {
        var behalf = asked.behalf();
        if (behalf != null) {
            return askers.ofPrincipal(behalf.principal());
        }
        return asked.askedBy() != null
                ? Future.succeededFuture(List.of())
                : askers.ofWorkspace(workspaceId, bearer, clock.instant());
    }

    Future<List<Approval>> list(UUID workspaceId) {
        return store.list(workspaceId, LISTED_MAX);
    }

    /** @param within only of these and of what is below them; null for all */
    Future<List<Approval.Pending>> pending(Page page, @Nullable List<UUID> within) {
        return store.pending(page, within, clock.instant());
    }

    /**
     * Fails with NOT_FOUND when it is decided already, or not this workspace's, with CONFLICT when it is not what was shown, or the same person
     * approved it before, and with FORBIDDEN for who may not decide it by the rule that it was asked under.
     */
    public Future<Decided> decide(UUID workspaceId, UUID id, Decision decision) {
        var now = clock.instant();
        return decisions
                .decide(workspaceId, id, decision, now)
                .onSuccess(decided -> changed.run())
                .map(decided -> decided.orElseThrow(ApprovalService::unknown))
                .map(ballot -> new Decided(now.plus(decision.grace()), ballot.isDecided() ? null : ballot.waits()));
    }

    /**
     * Fails with NOT_FOUND when there is no decision that can be taken back, and with FORBIDDEN where a rule says who decides and it is somebody
     * else's.
     *
     * @param login whose credential it is; null for one that names nobody
     */
    Future<Void> retract(UUID workspaceId, UUID id, @Nullable String login) {
        return decisions
                .retract(workspaceId, id, login, clock.instant())
                .compose(retracted -> retracted ? Future.succeededFuture() : Future.failedFuture(unknown()));
    }

    /** Ends what is over, and lets others decide what nobody did in time; to be run every second on every replica. */
    public Future<Integer> settle() {
        var now = clock.instant();
        return decisions
                .settle(SETTLED_AT_ONCE_MAX, now)
                .onSuccess(settled -> {
                    if (settled > 0) {
                        changed.run();
                    }
                })
                .compose(settled -> decisions.escalate(SETTLED_AT_ONCE_MAX, now).map(escalated -> settled + escalated));
    }

    /** The next page of what was decided of what was asked for in a period, the oldest first. @param after null for the first */
    Future<ExportPage> export(Period period, @Nullable Place after, @Nullable List<UUID> within) {
        return exported.export(period, after, within, EXPORTED_AT_ONCE);
    }

    Instant now() {
        return clock.instant();
    }

    /** Serves {@link TaskApprovals}. */
    public Future<TaskApprovals.Page> ofTasks(TaskApprovals question) {
        int limit = Math.clamp(question.limit(), 1, TaskApprovals.LIMIT_MAX);
        return store.ofTasks(question.after(), limit, clock.instant()).map(TaskApprovals.Page::new);
    }

    public static ApiError unknown() {
        return ApiError.notFound("approval not found or already decided");
    }
}
