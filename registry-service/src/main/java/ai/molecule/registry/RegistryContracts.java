package ai.molecule.registry;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.BudgetOf;
import ai.molecule.common.bus.registry.CollapseWorkspace;
import ai.molecule.common.bus.registry.CreateWorkspaces;
import ai.molecule.common.bus.registry.DescribeBranch;
import ai.molecule.common.bus.registry.Directory;
import ai.molecule.common.bus.registry.GlobalSecretNames;
import ai.molecule.common.bus.registry.IssueStartToken;
import ai.molecule.common.bus.registry.ListManaged;
import ai.molecule.common.bus.registry.NoteSettingsFile;
import ai.molecule.common.bus.registry.RecordEndpoint;
import ai.molecule.common.bus.registry.RemoveWorkspace;
import ai.molecule.common.bus.registry.ResolveRoute;
import ai.molecule.common.bus.registry.RestartSoon;
import ai.molecule.common.bus.registry.SearchMemories;
import ai.molecule.common.bus.registry.SecretsFor;
import ai.molecule.common.bus.registry.SeedMemories;
import ai.molecule.common.bus.registry.SetDesired;
import ai.molecule.common.bus.registry.SetSecrets;
import ai.molecule.common.bus.registry.TaskApprovals;
import ai.molecule.common.bus.registry.TouchOutbound;
import ai.molecule.common.bus.registry.Transition;
import ai.molecule.common.bus.registry.VerifyToken;
import ai.molecule.registry.approvals.ApprovalService;
import ai.molecule.registry.budgets.PgBudgetStore;
import ai.molecule.registry.endpoints.PgEndpointStore;
import ai.molecule.registry.lifecycle.LifecycleService;
import ai.molecule.registry.memories.MemoryService;
import ai.molecule.registry.restarts.RestartSweep;
import ai.molecule.registry.secrets.SecretService;
import ai.molecule.registry.tokens.BatchedVerdicts;
import ai.molecule.registry.tokens.TokenService;
import ai.molecule.registry.versions.VersionService;
import ai.molecule.registry.workspaces.WorkspaceService;
import io.vertx.core.Future;
import java.util.List;

/** Every bus contract the registry serves. */
final class RegistryContracts {

    private RegistryContracts() {}

    /** Completes once every member of the cluster can call them. */
    static Future<?> serve(
            Bus bus,
            WorkspaceService workspaces,
            LifecycleService lifecycle,
            RestartSweep restarts,
            PgEndpointStore endpoints,
            TokenService tokens,
            BatchedVerdicts verdicts,
            MemoryService memories,
            SecretService secrets,
            ApprovalService approvals,
            PgBudgetStore budgets,
            VersionService versions) {
        return Future.all(List.of(
                bus.serve(ResolveRoute.CONTRACT, endpoints::resolve),
                bus.serve(NoteSettingsFile.CONTRACT, versions::noteFile),
                bus.serve(BudgetOf.CONTRACT, budgets::standing),
                bus.serve(RecordEndpoint.CONTRACT, endpoints::record),
                bus.serve(TouchOutbound.CONTRACT, endpoints::touchOutbound),
                bus.serve(SetDesired.CONTRACT, lifecycle::setDesired),
                bus.serve(RestartSoon.CONTRACT, restarts::ask),
                bus.serve(Transition.CONTRACT, lifecycle::witness),
                bus.serve(RemoveWorkspace.CONTRACT, lifecycle::remove),
                bus.serve(CollapseWorkspace.CONTRACT, lifecycle::collapse),
                bus.serve(CreateWorkspaces.CONTRACT, workspaces::createAll),
                bus.serve(ListManaged.CONTRACT, workspaces::listManaged),
                bus.serve(DescribeBranch.CONTRACT, workspaces::describeBranch),
                bus.serve(Directory.CONTRACT, request -> workspaces.directory()),
                bus.serve(VerifyToken.CONTRACT, verdicts::verifyAnew),
                bus.serve(IssueStartToken.CONTRACT, tokens::issueForStart),
                bus.serve(SeedMemories.CONTRACT, memories::seed),
                bus.serve(SearchMemories.CONTRACT, memories::search),
                bus.serve(SecretsFor.CONTRACT, secrets::secretsFor),
                bus.serve(GlobalSecretNames.CONTRACT, question -> secrets.globalNames()),
                bus.serve(SetSecrets.CONTRACT, secrets::setSecrets),
                bus.serve(TaskApprovals.CONTRACT, approvals::ofTasks)));
    }
}
