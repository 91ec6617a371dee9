package ai.molecule.registry.policy;

import ai.molecule.registry.policy.PolicyLanguage.Program;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.function.Supplier;

/** Rules are compiled once, beside the event loop; the same words are the same program. To be used on one event loop. */
public final class PolicyPrograms {

    /** More than there may be rules; some 20 KB each. */
    private static final int KEPT_MAX = 500;

    private final Vertx vertx;
    private final Supplier<PolicyLanguage> language;
    private final Cache<String, Future<Program>> compiled =
            Caffeine.newBuilder().maximumSize(KEPT_MAX).executor(Runnable::run).build();

    /** @param language asked beside the event loop, since making one takes long */
    public PolicyPrograms(Vertx vertx, Supplier<PolicyLanguage> language) {
        this.vertx = vertx;
        this.language = language;
    }

    /** Fails with INVALID where it does not compile; that is not remembered. */
    public Future<Program> of(String expression) {
        var known = compiled.getIfPresent(expression);
        if (known != null) {
            return known;
        }
        var made = vertx.executeBlocking(() -> language.get().compile(expression), false);
        compiled.put(expression, made);
        return made.onFailure(flaw -> compiled.asMap().remove(expression, made));
    }
}
