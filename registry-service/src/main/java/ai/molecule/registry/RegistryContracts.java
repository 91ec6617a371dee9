package ai.molecule.registry;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.BudgetOf;
import ai.molecule.common.bus.registry.CheckPassport;
import ai.molecule.common.bus.registry.CheckWorkspaces;
import ai.molecule.common.bus.registry.CollapseWorkspace;
import ai.molecule.common.bus.registry.CreateWorkspaces;
import ai.molecule.common.bus.registry.DecideApproval;
import ai.molecule.common.bus.registry.DescribeBranch;
import ai.molecule.common.bus.registry.Directory;
import ai.molecule.common.bus.registry.GlobalSecretNames;
import ai.molecule.common.bus.registry.Hibernate;
import ai.molecule.common.bus.registry.IssuePairToken;
import ai.molecule.common.bus.registry.IssuePassport;
import ai.molecule.common.bus.registry.IssueStartToken;
import ai.molecule.common.bus.registry.JudgeCall;
import ai.molecule.common.bus.registry.KeepSecret;
import ai.molecule.common.bus.registry.KeptSecret;
import ai.molecule.common.bus.registry.LinkChat;
import ai.molecule.common.bus.registry.ListManaged;
import ai.molecule.common.bus.registry.MayAct;
import ai.molecule.common.bus.registry.NoteSettingsFile;
import ai.molecule.common.bus.registry.OpenSecret;
import ai.molecule.common.bus.registry.RecordEndpoint;
import ai.molecule.common.bus.registry.RemoveWorkspace;
import ai.molecule.common.bus.registry.ResolveRoute;
import ai.molecule.common.bus.registry.RestartSoon;
import ai.molecule.common.bus.registry.SealSecret;
import ai.molecule.common.bus.registry.SearchMemories;
import ai.molecule.common.bus.registry.SecretsFor;
import ai.molecule.common.bus.registry.SeedMemories;
import ai.molecule.common.bus.registry.SetDesired;
import ai.molecule.common.bus.registry.SetIdleMinutes;
import ai.molecule.common.bus.registry.SetSecrets;
import ai.molecule.common.bus.registry.SignAuditHead;
import ai.molecule.common.bus.registry.SignNotification;
import ai.molecule.common.bus.registry.TaskApprovals;
import ai.molecule.common.bus.registry.TouchOutbound;
import ai.molecule.common.bus.registry.Transition;
import ai.molecule.common.bus.registry.UnmeteredWorkspaces;
import ai.molecule.common.bus.registry.VerifyToken;
import ai.molecule.common.bus.registry.WakeWorkspace;
import io.vertx.core.Future;
import java.util.List;

/** Every bus contract the registry serves. */
final class RegistryContracts {

    private RegistryContracts() {}

    /** Completes once every member of the cluster can call them. */
    static Future<?> serve(Bus bus, RegistryServices registry) {
        return Future.all(List.of(
                bus.serve(
                        ResolveRoute.CONTRACT,
                        question -> registry.endpoints.resolve(question).compose(registry.policy::governing)),
                bus.serve(JudgeCall.CONTRACT, registry.policy::judge),
                bus.serve(NoteSettingsFile.CONTRACT, registry.versions::noteFile),
                bus.serve(BudgetOf.CONTRACT, registry.budgets::standing),
                bus.serve(RecordEndpoint.CONTRACT, registry.endpoints::record),
                bus.serve(TouchOutbound.CONTRACT, registry.endpoints::touchOutbound),
                bus.serve(SetDesired.CONTRACT, registry.lifecycle::setDesired),
                bus.serve(WakeWorkspace.CONTRACT, registry.lifecycle::wake),
                bus.serve(Hibernate.CONTRACT, registry.hibernation::hibernate),
                bus.serve(SetIdleMinutes.CONTRACT, registry.hibernation.store()::setPolicies),
                bus.serve(RestartSoon.CONTRACT, registry.restarts::ask),
                bus.serve(Transition.CONTRACT, registry.lifecycle::witness),
                bus.serve(RemoveWorkspace.CONTRACT, registry.lifecycle::remove),
                bus.serve(CollapseWorkspace.CONTRACT, registry.lifecycle::collapse),
                bus.serve(CreateWorkspaces.CONTRACT, registry.workspaces::createAll),
                bus.serve(CheckWorkspaces.CONTRACT, registry.workspaces::checkAll),
                bus.serve(ListManaged.CONTRACT, registry.workspaces::listManaged),
                bus.serve(UnmeteredWorkspaces.CONTRACT, question -> registry.workspaces.unmetered()),
                bus.serve(DescribeBranch.CONTRACT, registry.workspaces::describeBranch),
                bus.serve(Directory.CONTRACT, request -> registry.workspaces.directory()),
                bus.serve(VerifyToken.CONTRACT, registry.verdicts::verifyAnew),
                bus.serve(IssueStartToken.CONTRACT, registry.tokens::issueForStart),
                bus.serve(IssuePairToken.CONTRACT, registry.discovery::pairToken),
                bus.serve(IssuePassport.CONTRACT, registry.passports::issue),
                bus.serve(CheckPassport.CONTRACT, registry.passports::check),
                bus.serve(SignAuditHead.CONTRACT, registry.issuer::signHead),
                bus.serve(SignNotification.CONTRACT, registry.issuer::signNotification),
                bus.serve(KeepSecret.CONTRACT, registry.keptSecrets::keep),
                bus.serve(KeptSecret.CONTRACT, registry.keptSecrets::find),
                bus.serve(MayAct.CONTRACT, registry.people.store()::mayAct),
                bus.serve(SealSecret.CONTRACT, registry.rowSealing::seal),
                bus.serve(OpenSecret.CONTRACT, registry.rowSealing::open),
                bus.serve(LinkChat.CONTRACT, registry.chats::link),
                bus.serve(DecideApproval.CONTRACT, registry.chats::decide),
                bus.serve(SeedMemories.CONTRACT, registry.memories::seed),
                bus.serve(SearchMemories.CONTRACT, registry.memories::search),
                bus.serve(SecretsFor.CONTRACT, registry.secrets::secretsFor),
                bus.serve(GlobalSecretNames.CONTRACT, question -> registry.secrets.globalNames()),
                bus.serve(SetSecrets.CONTRACT, registry.secrets::setSecrets),
                bus.serve(TaskApprovals.CONTRACT, registry.approvals::ofTasks)));
    }
}
