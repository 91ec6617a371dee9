package ai.molecule.common.auth;

import ai.molecule.common.bus.registry.VerifyToken;
import ai.molecule.common.bus.registry.VerifyToken.Holder;
import ai.molecule.common.bus.registry.VerifyToken.Verdict;
import ai.molecule.common.cache.BriefCache;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Verdicts about tokens, remembered for at most two seconds. What changed of one workspace is forgotten and everything else kept:
 * while many agents start, somebody's tokens change all the time. To be used on one event loop.
 */
public final class VerdictCache {

    private static final Duration AGE_MAX = Duration.ofSeconds(2);
    private static final int ENTRIES_MAX = 50_000;

    /** Of all verdicts together: a verdict about a person names each branch where that has a role, for each workspace it is asked about. */
    private static final int BRANCHES_MAX = 500_000;

    /** Of verdicts about nobody: they say whether anybody has a token, which any may change. */
    private static final String ABOUT_ANY = "any";

    private final BriefCache<VerifyToken, Verdict> verdicts =
            new BriefCache<>(AGE_MAX, ENTRIES_MAX, BRANCHES_MAX, VerdictCache::branches, VerdictCache::subjects);

    public Future<Verdict> get(VerifyToken question, Function<VerifyToken, Future<Verdict>> read) {
        return verdicts.get(question, read);
    }

    /** @param workspaceId whose tokens, or what they open, changed; null for all */
    public void changed(@Nullable UUID workspaceId) {
        if (workspaceId == null) {
            verdicts.clear();
        } else {
            verdicts.dropTagged(workspaceId);
            verdicts.dropTagged(ABOUT_ANY);
        }
    }

    /** How many it holds on to, about. */
    long size() {
        return verdicts.size();
    }

    private static long branches(Verdict verdict) {
        var person = verdict.person();
        return person == null ? 0 : person.branches().size();
    }

    private static Collection<?> subjects(VerifyToken question, Verdict verdict) {
        List<Object> subjects = new ArrayList<>(2);
        if (question.workspaceId() != null) {
            subjects.add(question.workspaceId());
        }
        if (verdict.workspaceHolder() != null) {
            subjects.add(verdict.workspaceHolder());
        }
        if (verdict.modelKeyHolder() != null) {
            subjects.add(verdict.modelKeyHolder());
        }
        if (verdict.holder() == Holder.NOBODY) {
            subjects.add(ABOUT_ANY);
        }
        return subjects;
    }
}
