package ai.molecule.proxy.a2a.calls;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.WorkspaceChanged;
import ai.molecule.common.bus.registry.IssuePairToken;
import ai.molecule.common.cache.BriefCache;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the platform shows an agent: one pair token for a caller and a target, asked of the registry once in 25 s and after each change of a
 * workspace. Where the registry does not sign within half a second the one before is shown for as long as it holds; without one the message
 * goes without, and the agent decides. To be used on one event loop.
 */
final class PairTokenBook {

    private static final Logger LOGGER = LoggerFactory.getLogger(PairTokenBook.class);

    /** Less than the half minute that a token holds at least when it is issued. */
    private static final Duration USED = Duration.ofSeconds(25);

    /** The half minute, and the leeway that agents give. */
    private static final Duration HOLDS = Duration.ofSeconds(40);

    /** About 700 bytes each, and the same text is remembered twice. */
    private static final int ENTRIES_MAX = 50_000;

    private static final Duration PATIENCE = Duration.ofMillis(500);

    /** Who does not sign is left alone for as long. */
    private static final Duration AWAY = Duration.ofSeconds(2);

    private final Bus bus;
    private final LongSupplier nanos;
    private final BriefCache<IssuePairToken, IssuePairToken.Issued> tokens = new BriefCache<>(USED, ENTRIES_MAX);
    private final Cache<IssuePairToken, String> last;
    private long awayNanos;

    /** @param nanos a clock as {@link System#nanoTime} */
    PairTokenBook(Bus bus, LongSupplier nanos) {
        this.bus = bus;
        this.nanos = nanos;
        this.awayNanos = nanos.getAsLong() - AWAY.toNanos();
        this.last = Caffeine.newBuilder()
                .maximumSize(ENTRIES_MAX)
                .expireAfterWrite(HOLDS)
                .ticker(nanos::getAsLong)
                .executor(Runnable::run)
                .build();
        bus.listen(WorkspaceChanged.HINT, hint -> tokens.clear());
    }

    /** For a request with these {@link AgentHeaders}; empty while nobody signs one. Never fails. */
    Future<Optional<String>> tokenFor(Map<String, String> headers) {
        return questionOf(headers).map(this::tokenFor).orElseGet(() -> Future.succeededFuture(Optional.empty()));
    }

    private Future<Optional<String>> tokenFor(IssuePairToken question) {
        if (nanos.getAsLong() - awayNanos < AWAY.toNanos()) {
            return Future.succeededFuture(Optional.ofNullable(last.getIfPresent(question)));
        }
        return tokens.get(question, this::ask)
                .map(issued -> Optional.of(issued.token()))
                .recover(unsigned -> {
                    LOGGER.atDebug()
                            .addKeyValue("reason", unsigned.getMessage())
                            .log("no pair token");
                    if (isVerdict(unsigned)) {
                        last.invalidate(question);
                    } else {
                        awayNanos = nanos.getAsLong();
                    }
                    return Future.succeededFuture(Optional.ofNullable(last.getIfPresent(question)));
                });
    }

    private Future<IssuePairToken.Issued> ask(IssuePairToken question) {
        return bus.call(IssuePairToken.CONTRACT, question)
                .timeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                .onSuccess(issued -> last.put(question, issued.token()));
    }

    /** Whether there is another token now than this one, which was refused. */
    Future<Boolean> renewed(Map<String, String> headers, Optional<String> refused) {
        questionOf(headers).ifPresent(question -> {
            tokens.drop(question);
            last.invalidate(question);
        });
        return tokenFor(headers).map(token -> token.isPresent() && !token.equals(refused));
    }

    /** Of the registry, on these two alone. */
    private static boolean isVerdict(Throwable failure) {
        return failure instanceof ApiError error
                && (error.kind() == ApiError.Kind.FORBIDDEN || error.kind() == ApiError.Kind.NOT_FOUND);
    }

    private static Optional<IssuePairToken> questionOf(Map<String, String> headers) {
        return Ids.find(headers.get(AgentHeaders.TARGET))
                .map(target -> new IssuePairToken(
                        target, Ids.find(headers.get(AgentHeaders.CALLER)).orElse(null)));
    }
}
