package ai.molecule.common.auth;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.TokensChanged;
import ai.molecule.common.bus.hints.WorkspaceChanged;
import ai.molecule.common.bus.registry.VerifyToken;
import ai.molecule.common.bus.registry.VerifyToken.Verdict;
import ai.molecule.common.cache.BriefCache;
import io.vertx.core.Future;
import java.time.Duration;

/**
 * The registry's verdicts, remembered for at most two seconds and dropped when tokens change. To be used on one event loop.
 */
public final class BusCredentials implements Credentials {

    private static final Duration AGE_MAX = Duration.ofSeconds(2);
    private static final int ENTRIES_MAX = 50_000;

    private final Bus bus;
    private final BriefCache<VerifyToken, Verdict> verdicts = new BriefCache<>(AGE_MAX, ENTRIES_MAX);

    public BusCredentials(Bus bus) {
        this.bus = bus;
        bus.listen(TokensChanged.HINT, hint -> verdicts.clear());
        bus.listen(WorkspaceChanged.HINT, hint -> verdicts.clear());
    }

    @Override
    public Future<Verdict> verify(VerifyToken question) {
        return verdicts.get(question, unknown -> bus.call(VerifyToken.CONTRACT, unknown));
    }
}
