package ai.molecule.common.loops;

import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** The same step for each of many, one after the other: a transaction takes one statement at a time, an engine few requests. */
public final class InTurn {

    private InTurn() {}

    /** What the steps came to, in their order; fails with the first that fails, and takes none after it. */
    public static <T, R> Future<List<R>> each(Iterable<T> all, Function<T, Future<R>> step) {
        List<R> results = new ArrayList<>();
        Future<?> done = Future.succeededFuture();
        for (T one : all) {
            done = done.compose(before -> step.apply(one).onSuccess(results::add));
        }
        return done.map(results);
    }
}
