package ai.molecule.registry.deciders;

import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.json.Json;
import ai.molecule.registry.deciders.ApprovalRule.Words;
import io.vertx.ext.web.RoutingContext;

/** {@code /approvals/rules}. Owners set them, because whoever sets one says who is above whom. */
public record ApprovalRuleRoutes(ApprovalRuleService rules) {

    private static final String BAD_BODY = "invalid request body";

    /** {@code {"rules": […]}}, all there are, in the order in which they are asked. */
    public void list(RoutingContext ctx) {
        Answers.json(ctx, rules.list().map(all -> {
            var answer = Json.object();
            answer.set("rules", Answers.array(all, ApprovalRule::toJson));
            return answer;
        }));
    }

    /** {@code {"when", "deciders"[, "approvals", "escalation", "team", "priority"]}} → the rule. */
    public void put(RoutingContext ctx) {
        var words = Words.read(nameOf(ctx), JsonBody.of(ctx, BAD_BODY));
        Answers.json(ctx, rules.put(words).map(ApprovalRule::toJson));
    }

    public void delete(RoutingContext ctx) {
        Answers.json(ctx, rules.delete(nameOf(ctx)).map(done -> Json.object().put("status", "deleted")));
    }

    private static String nameOf(RoutingContext ctx) {
        return String.valueOf(ctx.pathParam("name"));
    }
}
