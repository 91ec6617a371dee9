package ai.molecule.common.auth;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.TokensChanged;
import ai.molecule.common.bus.hints.WorkspaceChanged;
import ai.molecule.common.bus.registry.VerifyToken;
import ai.molecule.common.bus.registry.VerifyToken.Verdict;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * The registry's verdicts, remembered for at most two seconds and dropped when tokens change. To be used on one event loop.
 */
public final class BusCredentials implements Credentials {

    private static final Duration AGE_MAX = Duration.ofSeconds(2);
    private static final int ENTRIES_MAX = 50_000;

    private record Remembered(Future<Verdict> verdict, long atNanos) {}

    private final Bus bus;
    private final Map<VerifyToken, Remembered> remembered = new HashMap<>();

    public BusCredentials(Bus bus) {
        this.bus = bus;
        bus.listen(TokensChanged.HINT, hint -> remembered.clear());
        bus.listen(WorkspaceChanged.HINT, hint -> remembered.clear());
    }

    @Override
    public Future<Verdict> verify(VerifyToken question) {
        var known = remembered.get(question);
        if (known != null && System.nanoTime() - known.atNanos < AGE_MAX.toNanos()) {
            return known.verdict;
        }
        if (remembered.size() >= ENTRIES_MAX) {
            remembered.clear();
        }
        var asked = bus.call(VerifyToken.CONTRACT, question);
        remembered.put(question, new Remembered(asked, System.nanoTime()));
        return asked.onFailure(failure -> remembered.remove(question));
    }
}
