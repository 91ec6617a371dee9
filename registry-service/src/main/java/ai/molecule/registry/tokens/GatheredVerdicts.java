package ai.molecule.registry.tokens;

import ai.molecule.common.auth.Credentials;
import ai.molecule.common.bus.registry.VerifyToken;
import ai.molecule.common.bus.registry.VerifyToken.Verdict;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;

/**
 * Verdicts for those who are in no hurry: what is not remembered is asked together with what others want to know, in one
 * statement, {@value #PATIENCE_MILLIS} ms later or when {@value #GROUP_MAX} wait. Thousands of agents that speak twice a minute then
 * cost a fraction of a look-up each; who spoke a moment ago is remembered and waits for nothing. To be used on one event loop.
 */
public final class GatheredVerdicts implements Credentials {

    private static final int PATIENCE_MILLIS = 10;
    private static final int GROUP_MAX = 32;

    private record Waiting(VerifyToken question, Promise<Verdict> answer) {}

    private final Vertx vertx;
    private final TokenService tokens;
    private final PgTokenStore store;
    private final Clock clock;
    private List<Waiting> waiting = new ArrayList<>();
    private long timer;

    public GatheredVerdicts(Vertx vertx, TokenService tokens, PgTokenStore store, Clock clock) {
        this.vertx = vertx;
        this.tokens = tokens;
        this.store = store;
        this.clock = clock;
    }

    @Override
    public Future<Verdict> verify(VerifyToken question) {
        return tokens.verify(question, this::gather);
    }

    private Future<Verdict> gather(VerifyToken question) {
        Promise<Verdict> answer = Promise.promise();
        waiting.add(new Waiting(question, answer));
        if (waiting.size() == 1) {
            timer = vertx.setTimer(PATIENCE_MILLIS, due -> ask());
        } else if (waiting.size() == GROUP_MAX) {
            vertx.cancelTimer(timer);
            ask();
        }
        return answer.future();
    }

    private void ask() {
        var group = waiting;
        waiting = new ArrayList<>();
        store.verifyAll(group.stream().map(Waiting::question).toList(), clock.instant())
                .onSuccess(verdicts -> {
                    for (int i = 0; i < group.size(); i++) {
                        group.get(i).answer.complete(verdicts.get(i));
                    }
                })
                .onFailure(failure -> group.forEach(member -> member.answer.fail(failure)));
    }
}
