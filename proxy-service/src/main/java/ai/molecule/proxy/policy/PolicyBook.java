package ai.molecule.proxy.policy;

import ai.molecule.common.ApiError;
import ai.molecule.common.activity.ActivityRow;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.JudgeCall;
import ai.molecule.common.bus.registry.JudgeCall.Verdict;
import ai.molecule.common.bus.registry.JudgeCall.Verdicts;
import ai.molecule.common.bus.registry.ResolveRoute.Route;
import ai.molecule.common.policy.PolicyVerdicts;
import ai.molecule.common.policy.ToolRules;
import ai.molecule.proxy.activity.ActivityWriter;
import ai.molecule.proxy.activity.RowIds;
import ai.molecule.proxy.routes.RouteBook;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Has calls judged by the rules of the policy, where there are any: without one nothing is asked. What a rule says against a call is a row of
 * activity, one a minute of those alike. Where nobody can tell, a call is not made. To be used on one event loop.
 */
public final class PolicyBook implements ToolRules {

    private static final Duration NOTED = Duration.ofMinutes(1);

    private static final int NOTED_MAX = 10_000;

    private record Note(JudgeCall call, String rule, String of, boolean enforced) {}

    private final RouteBook routes;
    private final ActivityWriter activity;
    private final RowIds ids;
    private final Clock clock;
    private final PolicyVerdicts verdicts;
    private final Cache<Note, Boolean> noted = Caffeine.newBuilder()
            .maximumSize(NOTED_MAX)
            .expireAfterWrite(NOTED)
            .executor(Runnable::run)
            .build();

    public PolicyBook(Bus bus, RouteBook routes, ActivityWriter activity, RowIds ids, Clock clock) {
        this.verdicts = new PolicyVerdicts(bus);
        this.routes = routes;
        this.activity = activity;
        this.ids = ids;
        this.clock = clock;
    }

    /**
     * For a message that the org chart allows.
     *
     * @param caller null for a person
     * @param body the request, which is read only where there are rules
     * @return fails with FORBIDDEN, which names the rule, and with UNAVAILABLE where nobody can tell
     */
    public Future<Void> check(Route route, @Nullable UUID caller, UUID target, byte[] body) {
        return route.governed()
                ? obeyed(new JudgeCall(caller, target, AskedMethod.of(body), ""))
                : Future.succeededFuture();
    }

    @Override
    public Future<Optional<String>> refusal(UUID caller, String tool) {
        return routes.resolve(caller, null)
                .compose(route -> route.governed()
                        ? judged(JudgeCall.ofTool(caller, tool))
                        : Future.succeededFuture(Optional.empty()));
    }

    private Future<Void> obeyed(JudgeCall call) {
        return judged(call).map(refusal -> {
            refusal.ifPresent(why -> {
                throw ApiError.forbidden(why);
            });
            return null;
        });
    }

    private Future<Optional<String>> judged(JudgeCall call) {
        return verdicts.of(call).onSuccess(said -> note(call, said)).map(Verdicts::refusal);
    }

    private void note(JudgeCall call, Verdicts said) {
        said.verdicts().forEach(verdict -> note(call, verdict));
    }

    private void note(JudgeCall call, Verdict verdict) {
        var note = new Note(call, verdict.rule(), verdict.of(), verdict.enforced());
        var about = call.target() == null ? call.caller() : call.target();
        if (about == null || noted.asMap().putIfAbsent(note, true) != null) {
            return;
        }
        activity.add(
                new ActivityRow(
                        ids.next(),
                        about,
                        "policy",
                        call.caller(),
                        call.target(),
                        call.tool().isEmpty() ? call.method() : call.method() + " " + call.tool(),
                        verdict.sentence(),
                        null,
                        null,
                        null,
                        null,
                        verdict.enforced() ? "refused" : "observed",
                        null,
                        null,
                        null,
                        clock.instant(),
                        true),
                Future.succeededFuture());
    }
}
