package ai.molecule.common.policy;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.PolicyChanged;
import ai.molecule.common.bus.hints.WorkspaceChanged;
import ai.molecule.common.bus.registry.JudgeCall;
import ai.molecule.common.bus.registry.JudgeCall.Verdicts;
import ai.molecule.common.cache.BriefCache;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/**
 * The registry's verdicts on calls, believed for 2 s, and until a rule or a workspace changes. Fails with UNAVAILABLE when the registry does not
 * answer: an older verdict is never used. To be used on one event loop.
 */
public final class PolicyVerdicts implements ToolRules {

    private static final Duration BELIEVED = Duration.ofSeconds(2);

    /** About 300 bytes each. */
    private static final int ENTRIES_MAX = 50_000;

    private final Bus bus;
    private final BriefCache<JudgeCall, Verdicts> verdicts = new BriefCache<>(BELIEVED, ENTRIES_MAX);

    public PolicyVerdicts(Bus bus) {
        this.bus = bus;
        bus.listen(PolicyChanged.HINT, changed -> verdicts.clear());
        bus.listen(WorkspaceChanged.HINT, changed -> verdicts.clear());
    }

    public Future<Verdicts> of(JudgeCall call) {
        return verdicts.get(call, asked -> bus.call(JudgeCall.CONTRACT, asked));
    }

    @Override
    public Future<Optional<String>> refusal(UUID workspace, String tool) {
        return of(JudgeCall.ofTool(workspace, tool)).map(Verdicts::refusal);
    }
}
