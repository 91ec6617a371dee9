package ai.molecule.registry.explanations;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.bus.registry.JudgeCall;
import ai.molecule.common.bus.registry.JudgeCall.Verdict;
import ai.molecule.common.http.Answers;
import ai.molecule.common.json.Json;
import ai.molecule.registry.passports.Passports;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** {@code GET /explain}. */
public record ExplanationRoutes(ExplanationService explanations, Passports passports, Guards guards) {

    private static final String PERSON = "person";
    private static final int TOOL_MAX_CHARS = JudgeCall.NAME_MAX_CHARS;

    /**
     * {@code ?caller=&target=&method=&tool=&passport=} → {@code {"allowed", "rule", "says"}}, with {@code tool} what is to be said of that, with
     * {@code passport} that as a sentence; {@code policy} where rules refuse it or would. To people of branches nobody else is there.
     */
    public void explain(RoutingContext ctx) {
        UUID target = Ids.find(ctx.request().getParam("target"))
                .orElseThrow(() -> ApiError.invalid("target must be the id of a workspace"));
        UUID caller = callerOf(ctx.request().getParam("caller"));
        Optional<String> tool =
                Optional.ofNullable(ctx.request().getParam("tool")).filter(name -> !name.isBlank());
        if (tool.filter(name -> name.length() > TOOL_MAX_CHARS).isPresent()) {
            throw ApiError.invalid("tool must be a name of at most %d characters".formatted(TOOL_MAX_CHARS));
        }
        String method = ctx.request().getParam("method", JudgeCall.MESSAGE);
        if (method.length() > JudgeCall.NAME_MAX_CHARS) {
            throw ApiError.invalid(
                    "method must be a name of at most %d characters".formatted(JudgeCall.NAME_MAX_CHARS));
        }
        var judged = mayKnow(ctx, caller, target).compose(may -> judge(caller, target, method, tool));
        var all = judged.compose(said -> Future.all(explanations.explain(caller, target, said.ofMessage), judged));
        Answers.json(ctx, all.map(done -> {
            Explanation explanation = done.resultAt(0);
            Said said = done.resultAt(1);
            var answer = Json.object()
                    .put("allowed", explanation.allowed())
                    .put("rule", explanation.rule())
                    .put("says", explanation.says());
            String shown = ctx.request().getParam("passport");
            var passport = shown == null || shown.isBlank() ? null : passports.read(shown);
            if (passport != null) {
                answer.put("passport", passport.holds() ? passport.says() : passport.says() + " (its time is over)");
            }
            tool.ifPresent(name -> answer.put("tool", toolSays(name, passport, said.ofTool)));
            var policy =
                    Stream.concat(said.ofMessage.stream(), said.ofTool.stream()).toList();
            if (!policy.isEmpty()) {
                answer.set("policy", Answers.array(policy, ExplanationRoutes::toJson));
            }
            return answer;
        }));
    }

    /** What rules say of the message, and of the tool. */
    private record Said(List<Verdict> ofMessage, List<Verdict> ofTool) {}

    private Future<Said> judge(@Nullable UUID caller, UUID target, String method, Optional<String> tool) {
        var ofMessage = target.equals(caller)
                ? Future.succeededFuture(List.<Verdict>of())
                : explanations.judge(new JudgeCall(caller, target, method, ""));
        var ofTool = tool.filter(name -> caller != null)
                .map(name -> explanations.judge(new JudgeCall(caller, null, JudgeCall.TOOL_CALL, name)))
                .orElseGet(() -> Future.succeededFuture(List.of()));
        return ofMessage.compose(message -> ofTool.map(called -> new Said(message, called)));
    }

    private Future<?> mayKnow(RoutingContext ctx, @Nullable UUID caller, UUID target) {
        var knowsTarget = guards.looksAt(ctx, target);
        return caller == null ? knowsTarget : knowsTarget.compose(may -> guards.looksAt(ctx, caller));
    }

    private static ObjectNode toJson(Verdict verdict) {
        return Json.object()
                .put("rule", verdict.rule())
                .put("of", verdict.of())
                .put("enforced", verdict.enforced())
                .put("says", verdict.says());
    }

    private static String toolSays(String name, Passports.@Nullable Read passport, List<Verdict> policy) {
        if (!policy.isEmpty() && policy.getFirst().enforced()) {
            return policy.getFirst().sentence();
        }
        if (passport != null && passport.tools() != null && !passport.tools().contains(name)) {
            return "%s is not among what the passport allows, so the agent is not given it".formatted(name);
        }
        return "the platform refuses no tool; whether %s asks a person first is its agent's config.yaml to say"
                .formatted(name);
    }

    private static @Nullable UUID callerOf(@Nullable String text) {
        return PERSON.equals(text)
                ? null
                : Ids.find(text).orElseThrow(() -> ApiError.invalid("caller must be the id of a workspace, or person"));
    }
}
