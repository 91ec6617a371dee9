package ai.molecule.registry.keys;

import ai.molecule.common.bus.registry.IssuePairToken.Issued;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Tokens for one caller and one target, signed once and handed out again while they hold for another half minute and nothing changed that
 * they say. Whether the two may talk is asked by whoever calls this. To be used on one event loop.
 */
public final class PairTokens {

    /** At the latest then a token that was stolen is worth nothing. */
    public static final Duration LIFE = Duration.ofSeconds(60);

    /** What is left at least of a token that is handed out: whoever gets one uses it for as long. */
    private static final Duration LEFT_MIN = Duration.ofSeconds(30);

    /** About 700 bytes each. */
    private static final int REMEMBERED_MAX = 50_000;

    private record Pair(@Nullable UUID caller, UUID target, boolean carried) {}

    private record Kept(Issued issued, long branchVersion, String kid) {}

    private final Issuer issuer;
    private final OrganisationKeys keys;
    private final Clock clock;
    private final Cache<Pair, Kept> kept = Caffeine.newBuilder()
            .maximumSize(REMEMBERED_MAX)
            .executor(Runnable::run)
            .build();

    public PairTokens(Issuer issuer, Clock clock) {
        this.issuer = issuer;
        this.keys = issuer.keys();
        this.clock = clock;
    }

    /**
     * Empty while there is no key to sign with.
     *
     * @param caller null for the platform
     * @param carried whether the platform shows it for the caller
     */
    public Optional<Issued> issue(@Nullable UUID caller, UUID target, boolean carried, long branchVersion) {
        return keys.signing().map(key -> {
            var now = clock.instant();
            var pair = new Pair(caller, target, carried);
            var known = kept.getIfPresent(pair);
            if (known != null
                    && known.branchVersion == branchVersion
                    && known.kid.equals(key.kid())
                    && !known.issued.expiresAt().isBefore(now.plus(LEFT_MIN))) {
                return known.issued;
            }
            var issued =
                    new Issued(issuer.pairToken(caller, target, carried, branchVersion, now, LIFE), now.plus(LIFE));
            kept.put(pair, new Kept(issued, branchVersion, key.kid()));
            return issued;
        });
    }
}
