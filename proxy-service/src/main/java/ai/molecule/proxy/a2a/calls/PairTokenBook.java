package ai.molecule.proxy.a2a.calls;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.WorkspaceChanged;
import ai.molecule.common.bus.registry.IssuePairToken;
import ai.molecule.common.cache.BriefCache;
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
 * workspace. Where the registry does not sign within half a second the message goes without, and the agent decides. To be used on one event
 * loop.
 */
final class PairTokenBook {

    private static final Logger LOGGER = LoggerFactory.getLogger(PairTokenBook.class);

    /** Less than the half minute that a token holds at least when it is issued. */
    private static final Duration USED = Duration.ofSeconds(25);

    /** About 700 bytes each. */
    private static final int ENTRIES_MAX = 50_000;

    private static final Duration PATIENCE = Duration.ofMillis(500);

    /** Who does not sign is left alone for as long. */
    private static final Duration AWAY = Duration.ofSeconds(2);

    private final Bus bus;
    private final LongSupplier nanos;
    private final BriefCache<IssuePairToken, IssuePairToken.Issued> tokens = new BriefCache<>(USED, ENTRIES_MAX);
    private long awayNanos;

    /** @param nanos a clock as {@link System#nanoTime} */
    PairTokenBook(Bus bus, LongSupplier nanos) {
        this.bus = bus;
        this.nanos = nanos;
        this.awayNanos = nanos.getAsLong() - AWAY.toNanos();
        bus.listen(WorkspaceChanged.HINT, hint -> tokens.clear());
    }

    /** For a request with these {@link AgentHeaders}; empty while nobody signs one. Never fails. */
    Future<Optional<String>> tokenFor(Map<String, String> headers) {
        var question = questionOf(headers);
        if (question.isEmpty() || nanos.getAsLong() - awayNanos < AWAY.toNanos()) {
            return Future.succeededFuture(Optional.empty());
        }
        return tokens.get(
                        question.get(),
                        asked -> bus.call(IssuePairToken.CONTRACT, asked)
                                .timeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS))
                .map(issued -> Optional.of(issued.token()))
                .recover(unsigned -> {
                    if (!isVerdict(unsigned)) {
                        awayNanos = nanos.getAsLong();
                    }
                    LOGGER.atDebug()
                            .addKeyValue("reason", unsigned.getMessage())
                            .log("no pair token");
                    return Future.succeededFuture(Optional.empty());
                });
    }

    /** Whether there is another token now than this one, which was refused. */
    Future<Boolean> renewed(Map<String, String> headers, Optional<String> refused) {
        questionOf(headers).ifPresent(tokens::drop);
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
