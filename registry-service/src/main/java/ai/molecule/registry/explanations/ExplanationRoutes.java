package ai.molecule.registry.explanations;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.http.Answers;
import ai.molecule.common.json.Json;
import ai.molecule.registry.passports.Passports;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** {@code GET /explain}. */
public record ExplanationRoutes(ExplanationService explanations, Passports passports, Guards guards) {

    private static final String PERSON = "person";
    private static final int TOOL_MAX_CHARS = 100;

    /**
     * {@code ?caller=&target=&tool=&passport=} → {@code {"allowed", "rule", "says"}}, with {@code tool} what is to be said of that, with {@code
     * passport} that as a sentence. To people of branches nobody else is there.
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
        Answers.json(
                ctx,
                mayKnow(ctx, caller, target)
                        .compose(may -> explanations.explain(caller, target))
                        .map(explanation -> {
                            var answer = Json.object()
                                    .put("allowed", explanation.allowed())
                                    .put("rule", explanation.rule())
                                    .put("says", explanation.says());
                            String shown = ctx.request().getParam("passport");
                            var passport = shown == null || shown.isBlank() ? null : passports.read(shown);
                            if (passport != null) {
                                answer.put(
                                        "passport",
                                        passport.holds() ? passport.says() : passport.says() + " (its time is over)");
                            }
                            tool.ifPresent(name -> answer.put("tool", toolSays(name, passport)));
                            return answer;
                        }));
    }

    private Future<?> mayKnow(RoutingContext ctx, @Nullable UUID caller, UUID target) {
        var knowsTarget = guards.looksAt(ctx, target);
        return caller == null ? knowsTarget : knowsTarget.compose(may -> guards.looksAt(ctx, caller));
    }

    private static String toolSays(String name, Passports.@Nullable Read passport) {
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
