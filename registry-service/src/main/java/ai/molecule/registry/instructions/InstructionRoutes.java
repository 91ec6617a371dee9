package ai.molecule.registry.instructions;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.http.PathIds;
import ai.molecule.common.json.Json;
import ai.molecule.registry.instructions.Instruction.Words;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.time.Clock;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * {@code /instructions}, and what of them holds for a workspace. People of a branch read those for everybody and those for what is in it, and
 * make and change the latter.
 */
public record InstructionRoutes(PgInstructionStore store, Guards guards, Clock clock) {

    private static final String BAD_BODY = "invalid request body";
    private static final List<String> CHANGEABLE = List.of("title", "content", "priority", "enabled");

    /** An array, at most a thousand: all, or those of {@code ?scope=}, or those that hold for {@code ?workspace_id=}. */
    public void list(RoutingContext ctx) {
        String scope = ctx.request().getParam("scope", "");
        String workspace = ctx.request().getParam("workspace_id", "");
        var only = scope.isEmpty() ? null : scopeOf(scope);
        var target = workspace.isEmpty() ? null : workspaceOf(workspace);
        Answers.json(
                ctx,
                (target == null ? Future.succeededFuture() : guards.looksAt(ctx, target))
                        .compose(may -> store.list(only, target, Caller.of(ctx).branchesOnly()))
                        .map(found -> Answers.array(found, Instruction::toJson)));
    }

    /** 201 {@code {"id"}}. */
    public void create(RoutingContext ctx) {
        var body = JsonBody.of(ctx, BAD_BODY);
        if (body.text("scope", "").isEmpty()) {
            throw ApiError.invalid("scope, title, and content are required");
        }
        var scope = scopeOf(body.text("scope", ""));
        var words = new Words(
                body.text("title", ""),
                body.text("content", ""),
                body.int32("priority", 0),
                body.flag("enabled", true));
        var rule = new Instruction(
                UUID.randomUUID(),
                scope,
                targetOf(scope, body.text("scope_target", "")),
                words,
                clock.instant(),
                clock.instant());
        Answers.json(
                ctx,
                201,
                guards.actsFor(ctx, rule.target())
                        .compose(may -> store.insert(rule))
                        .map(done -> Json.object().put("id", rule.id().toString())));
    }

    /** Changes what the body names, at least one thing, but neither scope nor target. */
    public void change(RoutingContext ctx) {
        var body = JsonBody.of(ctx, BAD_BODY);
        if (CHANGEABLE.stream().noneMatch(body::has)) {
            throw body.bad();
        }
        var id = idOf(ctx);
        var changed = mayChange(ctx, id)
                .compose(may -> store.change(
                        id,
                        old -> new Words(
                                body.text("title", old.title()),
                                body.text("content", old.content()),
                                body.int32("priority", old.priority()),
                                body.flag("enabled", old.enabled())),
                        clock.instant()));
        Answers.json(ctx, changed.map(done -> Json.object().put("status", "updated")));
    }

    public void delete(RoutingContext ctx) {
        var id = idOf(ctx);
        Answers.json(
                ctx,
                mayChange(ctx, id)
                        .compose(may -> store.delete(id))
                        .map(done -> Json.object().put("status", "deleted")));
    }

    /** One that they are not shown is none to people of branches. Whom a rule is for never changes. */
    private Future<?> mayChange(RoutingContext ctx, UUID id) {
        return Caller.of(ctx).rulesTheOrganisation() || Caller.of(ctx).kind() != Caller.Kind.PERSON
                ? Future.succeededFuture()
                : store.get(id, Caller.of(ctx).branchesOnly()).compose(found -> guards.actsFor(ctx, found.target()));
    }

    /** {@code {"workspace_id", "instructions"}}; see {@link HouseRules}. Whoever nobody admitted is told nothing of the house. */
    public void resolve(RoutingContext ctx) {
        var id = PathIds.workspace(ctx);
        Answers.json(
                ctx,
                Caller.of(ctx)
                        .refuseUnadmitted()
                        .compose(admitted -> store.holdingFor(id))
                        .map(rules -> Json.object()
                                .put("workspace_id", id.toString())
                                .put("instructions", HouseRules.text(rules))));
    }

    private static InstructionScope scopeOf(String said) {
        return InstructionScope.find(said)
                .orElseThrow(() -> ApiError.invalid("scope must be global, team or workspace"));
    }

    private static @Nullable UUID targetOf(InstructionScope scope, String said) {
        if (scope == InstructionScope.GLOBAL) {
            if (!said.isEmpty()) {
                throw ApiError.invalid("scope_target is for team and workspace scope");
            }
            return null;
        }
        if (said.isEmpty()) {
            throw ApiError.invalid("scope_target required for %s scope".formatted(scope.wire()));
        }
        return Ids.find(said).orElseThrow(() -> ApiError.invalid("scope_target must be the id of a workspace"));
    }

    private static UUID workspaceOf(String said) {
        return Ids.find(said).orElseThrow(() -> ApiError.invalid("workspace_id must be the id of a workspace"));
    }

    private static UUID idOf(RoutingContext ctx) {
        return Ids.find(ctx.pathParam("id")).orElseThrow(PgInstructionStore::unknown);
    }
}
