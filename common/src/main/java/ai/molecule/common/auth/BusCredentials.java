package ai.molecule.common.auth;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.TokensChanged;
import ai.molecule.common.bus.hints.WorkspaceChanged;
import ai.molecule.common.bus.registry.VerifyToken;
import ai.molecule.common.bus.registry.VerifyToken.Verdict;
import io.vertx.core.Future;

/**
 * The registry's verdicts, remembered for at most two seconds and dropped when tokens change. To be used on one event loop.
 */
public final class BusCredentials implements Credentials {

    private final Bus bus;
    private final VerdictCache verdicts = new VerdictCache();

    public BusCredentials(Bus bus) {
        this.bus = bus;
        bus.listen(TokensChanged.HINT, hint -> verdicts.changed(hint.workspaceId()));
        bus.listen(WorkspaceChanged.HINT, hint -> verdicts.changed(hint.workspaceId()));
    }

    @Override
    public Future<Verdict> verify(VerifyToken question) {
        return verdicts.get(question, unknown -> bus.call(VerifyToken.CONTRACT, unknown));
    }
}
