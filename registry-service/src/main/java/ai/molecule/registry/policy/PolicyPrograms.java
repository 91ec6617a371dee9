package ai.molecule.registry.policy;

import ai.molecule.registry.policy.PolicyLanguage.Program;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

/** Rules are compiled once, beside the event loop; the same words are the same program. To be used on one event loop. */
final class PolicyPrograms {

    /** More than there may be rules; some 20 KB each. */
    private static final int KEPT_MAX = 500;

    private final Vertx vertx;
    private final Cache<String, Future<Program>> compiled =
            Caffeine.newBuilder().maximumSize(KEPT_MAX).executor(Runnable::run).build();

    PolicyPrograms(Vertx vertx) {
        this.vertx = vertx;
    }

    /** Fails with INVALID where it does not compile; that is not remembered. */
    Future<Program> of(String expression) {
        var known = compiled.getIfPresent(expression);
        if (known != null) {
            return known;
        }
        var made = vertx.executeBlocking(() -> PolicyLanguage.compile(expression), false);
        compiled.put(expression, made);
        return made.onFailure(flaw -> compiled.asMap().remove(expression, made));
    }
}
