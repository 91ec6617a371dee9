package ai.molecule.registry.workspaces;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Bearer;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Guard;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.config.Door;
import ai.molecule.common.config.PlatformConfig;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.Edge;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.http.NamedTenant;
import ai.molecule.common.http.PathIds;
import ai.molecule.common.json.Json;
import ai.molecule.common.workspaces.CardAddresses;
import ai.molecule.common.workspaces.TenantName;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.registry.discovery.FrontDoorAddress;
import ai.molecule.registry.discovery.Strangers;
import ai.molecule.registry.workspaces.WorkspaceService.Created;
import ai.molecule.registry.workspaces.WorkspaceService.State;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * {@code /workspaces} and {@code /workspaces/:id}.
 *
 * @param added completes when what can be known at once of an agent elsewhere is known; never fails
 * @param outdated agents that run with an older value of a secret
 */
public record WorkspaceRoutes(
        WorkspaceService workspaces,
        Function<NewWorkspace, Future<Void>> added,
        Supplier<Future<Set<UUID>>> outdated,
        TemplateDefaults templates,
        StartTimes startTimes,
        Guards guards,
        Edge edge,
        PlatformConfig platform,
        FrontDoorAddress frontDoor,
        Strangers strangers,
        @Nullable String externalPlatformUrl) {

    /** 201; what the body holds depends on whether the agent is ours, elsewhere, or yet to connect. */
    public void create(RoutingContext ctx) {
        var body = JsonBody.of(ctx, "invalid workspace payload");
        var id = NewWorkspace.of(body, UUID.randomUUID()).id(); // what is wrong anyway, no template makes right
        var guide = ConnectionGuide.of(externalPlatformUrl, edge.originOf(ctx.request()));
        String tenant = tenantOf(ctx);
        var created = templates
                .complete(body)
                .compose(whole -> workspaces.create(NewWorkspace.of(whole, id), tenant))
                .compose(done -> added.apply(done.workspace()).map(done));
        Answers.json(ctx, 201, created.map(done -> answer(done, guide)));
    }

    public void list(RoutingContext ctx) {
        Answers.json(
                ctx,
                workspaces
                        .list(tenantOf(ctx), branchesOf(Caller.of(ctx)))
                        .compose(found -> Future.all(startTimes.millis(), outdated.get())
                                .map(both -> WorkspaceJson.list(found, both.resultAt(0), both.resultAt(1)))));
    }

    /** {@code {"tenant": name or null}} → the same; of a root, for it and all below it. */
    public void giveToTenant(RoutingContext ctx) {
        var body = JsonBody.of(ctx, "invalid request body");
        if (!body.has("tenant")) {
            throw ApiError.invalid("tenant is required: a name, or null");
        }
        String sent = body.text("tenant");
        String tenant = sent == null ? null : TenantName.checked(sent);
        Answers.json(
                ctx,
                workspaces
                        .giveToTenant(PathIds.workspace(ctx), tenant)
                        .map(given -> Json.object().put("tenant", tenant)));
    }

    /** With {@code MOLECULE_ORG_ID} there is one organisation, which everybody names; null for none. */
    private @Nullable String tenantOf(RoutingContext ctx) {
        return NamedTenant.of(ctx.request(), platform.orgId());
    }

    /** Nobody's in particular for who may see all. */
    private static List<UUID> branchesOf(Caller caller) {
        var person = caller.person();
        return person == null || person.organisation() != null ? List.of() : person.branches();
    }

    public void get(RoutingContext ctx) {
        UUID id = PathIds.workspace(ctx);
        var found = strangers
                .areTo(Caller.of(ctx), id)
                .compose(unknown -> unknown
                        ? Future.failedFuture(ApiError.notFound("workspace not found"))
                        : workspaces.get(id, Bearer.of(ctx.request())));
        Answers.json(
                ctx,
                found.compose(seen -> startTimes
                        .millis()
                        .map(millis -> WorkspaceJson.single(seen.workspace(), seen.trusted(), millis))
                        .map(body -> seen.trusted() || !frontDoor.hides(Caller.of(ctx))
                                ? body
                                : elsewhere(
                                        body,
                                        frontDoor.addressOf(seen.workspace().id(), edge.originOf(ctx.request()))))));
    }

    private static ObjectNode elsewhere(ObjectNode body, String address) {
        return body.put("url", address).set("agent_card", CardAddresses.at(body.path("agent_card"), address));
    }

    /** {@code {"status":"updated"}}, with {@code needs_restart} when the folder was named. */
    public void patch(RoutingContext ctx) {
        UUID id = PathIds.workspace(ctx);
        var patch = WorkspacePatch.of(JsonBody.of(ctx, "invalid request body"));
        Answers.json(
                ctx,
                mayBind(patch, ctx)
                        .compose(may -> workspaces.patch(
                                id, patch, staysPut(ctx), Caller.of(ctx).credential()))
                        .map(done -> updated(patch)));
    }

    /** Where a stranger stands is not its own to say, and in production nobody's own. */
    private boolean staysPut(RoutingContext ctx) {
        var caller = Caller.of(ctx);
        boolean itself = caller.kind() == Caller.Kind.WORKSPACE;
        return itself && (caller.unadmitted() || !platform.isOpen(Door.SELF_MOVE));
    }

    /** {@code {"status":"admitted"}}, also when it was before. */
    public void admit(RoutingContext ctx) {
        var admitted = workspaces.admit(PathIds.workspace(ctx));
        Answers.json(ctx, admitted.map(done -> Json.object().put("status", "admitted")));
    }

    /** Its own token makes no agent the lender of the machine's folders, gives it more of the machine, or shows it to strangers. */
    private Future<?> mayBind(WorkspacePatch patch, RoutingContext ctx) {
        var refusal = patch.asksAnAdministrator();
        if (Caller.of(ctx).isOfBranchesOnly() && (refusal.isPresent() || patch.parent() != null)) {
            return Future.failedFuture(refusal.map(ApiError::forbidden).orElseGet(Guards::beyondTheBranch));
        }
        return refusal.isPresent() && Caller.of(ctx).kind() == Caller.Kind.WORKSPACE
                ? guards.check(Guard.ADMIN, ctx)
                        .recover(refused -> Future.failedFuture(
                                refused instanceof ApiError error && error.kind() == ApiError.Kind.UNAUTHENTICATED
                                        ? ApiError.forbidden(refusal.get())
                                        : refused))
                : Future.succeededFuture();
    }

    /** 200 while it exists, 404 with {@code "deleted":true} when it is removed or was never there. */
    public void state(RoutingContext ctx) {
        workspaces
                .state(PathIds.workspace(ctx), Bearer.of(ctx.request()))
                .onSuccess(state -> Answers.json(ctx, state.deleted() ? 404 : 200, Future.succeededFuture(body(state))))
                .onFailure(ctx::fail);
    }

    private static ObjectNode answer(Created created, ConnectionGuide guide) {
        var workspace = created.workspace();
        var body = Json.object().put("id", workspace.id().toString());
        if (workspace.external()) {
            body.put("external", true).put("status", workspace.initialStatus().wire());
            return created.token() == null ? body : body.set("connection", guide.toJson(created));
        }
        return body.put("status", "provisioning")
                .put("awareness_namespace", workspace.awarenessNamespace())
                .put("workspace_access", workspace.workspaceAccess());
    }

    private static ObjectNode updated(WorkspacePatch patch) {
        var body = Json.object().put("status", "updated");
        return patch.needsRestart() ? body.put("needs_restart", true) : body;
    }

    private static ObjectNode body(State state) {
        var body = Json.object().put("workspace_id", state.id().toString());
        if (state.status() == null) {
            return body.put("deleted", true);
        }
        body.put("status", state.status().wire());
        return state.deleted()
                ? body.put("deleted", true)
                : quarantined(body.put("paused", state.status() == WorkspaceStatus.PAUSED), state)
                        .put("deleted", false);
    }

    private static ObjectNode quarantined(ObjectNode body, State state) {
        return state.quarantined() ? body.put("quarantined", true) : body;
    }
}
