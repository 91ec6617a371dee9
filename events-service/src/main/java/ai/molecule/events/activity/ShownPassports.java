package ai.molecule.events.activity;

import ai.molecule.common.auth.Behalf;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.PassportsRevoked;
import ai.molecule.common.bus.registry.CheckPassport;
import ai.molecule.common.bus.registry.CheckPassport.Checked;
import ai.molecule.common.cache.BriefCache;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * On whose behalf agents did what they report: by the passport that they show with it, which the registry has signed for them and for nobody
 * else. One that is none, or another's, names nobody, and neither does any while the registry does not answer: a report is worth having
 * without. To be used on one event loop.
 */
public final class ShownPassports {

    static final String HEADER = "X-Molecule-Passport";

    private static final Duration BELIEVED = Duration.ofMinutes(5);
    private static final int ENTRIES_MAX = 1_000;
    private static final int SHOWN_MAX_CHARS = 4_096;

    private final Bus bus;
    private final BriefCache<CheckPassport, Checked> checked = new BriefCache<>(BELIEVED, ENTRIES_MAX);

    public ShownPassports(Bus bus) {
        this.bus = bus;
        bus.listen(PassportsRevoked.HINT, hint -> checked.clear());
    }

    Future<Optional<Behalf>> behalf(UUID reporter, @Nullable String shown) {
        return shown == null || shown.isBlank() || shown.length() > SHOWN_MAX_CHARS
                ? Future.succeededFuture(Optional.empty())
                : checked.get(
                                new CheckPassport(reporter, shown),
                                question -> bus.call(CheckPassport.CONTRACT, question))
                        .map(Checked::behalf)
                        .otherwise(Optional.empty());
    }
}
