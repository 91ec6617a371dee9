package ai.molecule.proxy.delegations;

import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;

/** What the reconciler of the activity rows needs. */
public interface ProjectionStore {

    /** Delegations whose rows are behind, at least one when there is any, at most 64 and {@code charsMax} characters. */
    Future<List<Shown>> behind(long charsMax);

    /** Their rows show these revisions. */
    Future<Void> projected(List<Shown> shown);

    /** Forgets delegations older than {@code age} that need nothing any more; at most {@code max}. */
    Future<Integer> prune(Duration age, int max);
}
