package ai.molecule.registry.policy;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.http.PathIds;
import ai.molecule.common.json.Json;
import ai.molecule.registry.policy.PolicyRule.Mode;
import ai.molecule.registry.policy.PolicyRule.Name;
import ai.molecule.registry.policy.PolicyRule.Words;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** {@code /policy}, the organisation's rules, and {@code /workspaces/:id/policy}, those of a branch. */
public record PolicyRoutes(PolicyService policy, Guards guards) {

    private static final String BAD_BODY = "invalid request body";

    /** As long as activity may be kept. */
    private static final long SINCE_MAX_SECONDS = Duration.ofDays(366).toSeconds();

    /** {@code {"rules": […]}}, all there are. */
    public void list(RoutingContext ctx) {
        Answers.json(ctx, policy.list().map(PolicyRoutes::toJson));
    }

    /** The same of those that hold for a workspace. To people of a branch less is shown of those that hold from above it. */
    public void listOf(RoutingContext ctx) {
        var id = PathIds.workspace(ctx);
        var within = Caller.of(ctx).branchesOnly();
        Answers.json(
                ctx,
                within == null
                        ? policy.holdingFor(id).map(PolicyRoutes::toJson)
                        : policy.holdingFor(id)
                                .compose(rules ->
                                        policy.branchesWithin(rules, within).map(seen -> narrowed(rules, seen))));
    }

    private static ObjectNode narrowed(List<PolicyRule> rules, Set<UUID> seen) {
        var answer = Json.object();
        answer.set(
                "rules",
                Answers.array(
                        rules,
                        rule -> rule.branch() != null && seen.contains(rule.branch())
                                ? rule.toJson()
                                : rule.fromAbove()));
        return answer;
    }

    /** {@code {"refuse_when"[, "says", "mode"]}} → the rule. */
    public void put(RoutingContext ctx) {
        put(ctx, null);
    }

    public void putOf(RoutingContext ctx) {
        put(ctx, PathIds.workspace(ctx));
    }

    public void delete(RoutingContext ctx) {
        delete(ctx, null);
    }

    public void deleteOf(RoutingContext ctx) {
        delete(ctx, PathIds.workspace(ctx));
    }

    /** {@code {"since_secs"[, "refuse_when"]}} → what the rules there are, or that one, would have refused. */
    public void test(RoutingContext ctx) {
        var person = Caller.of(ctx).person();
        if (person != null && person.organisation() == null) {
            throw ApiError.forbidden("this asks for the role of a viewer");
        }
        Answers.json(ctx, tried(null, asked(ctx)));
    }

    public void testOf(RoutingContext ctx) {
        var branch = PathIds.workspace(ctx);
        var asked = asked(ctx);
        Answers.json(ctx, guards.looksAt(ctx, branch).compose(may -> tried(branch, asked)));
    }

    private void put(RoutingContext ctx, @Nullable UUID branch) {
        var name = nameOf(ctx);
        var body = JsonBody.of(ctx, BAD_BODY);
        var words = new Words(
                body.text("refuse_when", ""), body.text("says", ""), Mode.of(body.text("mode", Mode.OBSERVE.wire())));
        Answers.json(
                ctx,
                policy.put(branch, name, words, Caller.of(ctx).isOfBranchesOnly())
                        .map(PolicyRule::toJson));
    }

    private void delete(RoutingContext ctx, @Nullable UUID branch) {
        Answers.json(
                ctx,
                policy.delete(branch, nameOf(ctx), Caller.of(ctx).isOfBranchesOnly())
                        .map(done -> Json.object().put("status", "deleted")));
    }

    /** @param words tried in place of the rules there are; null for those */
    private record Asked(@Nullable Words words, Duration back) {}

    private static Asked asked(RoutingContext ctx) {
        var body = JsonBody.of(ctx, BAD_BODY);
        long seconds = body.integer("since_secs", 0);
        if (seconds < 1 || seconds > SINCE_MAX_SECONDS) {
            throw ApiError.invalid("since_secs must be between 1 and " + SINCE_MAX_SECONDS);
        }
        var words = body.has("refuse_when") ? new Words(body.text("refuse_when", ""), "", Mode.OBSERVE) : null;
        return new Asked(words, Duration.ofSeconds(seconds));
    }

    private Future<ObjectNode> tried(@Nullable UUID branch, Asked asked) {
        return policy.test(branch, asked.words, asked.back)
                .map(trial -> trial.toJson().put("since_secs", asked.back.toSeconds()));
    }

    private static ObjectNode toJson(List<PolicyRule> rules) {
        var answer = Json.object();
        answer.set("rules", Answers.array(rules, PolicyRule::toJson));
        return answer;
    }

    private static Name nameOf(RoutingContext ctx) {
        return new Name(String.valueOf(ctx.pathParam("name")));
    }
}
