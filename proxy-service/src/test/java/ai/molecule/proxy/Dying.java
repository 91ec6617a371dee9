package ai.molecule.proxy;

import io.vertx.core.Future;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lets a replica die just before or just after a step of its store: from then on nothing of it reaches the database. */
public final class Dying {

    private final String step;
    private final boolean after;
    private final boolean forGood;
    private volatile boolean dead;

    private Dying(String step, boolean after, boolean forGood) {
        this.step = step;
        this.after = after;
        this.forGood = forGood;
    }

    /** @param step the store's method of which nothing gets through */
    public static Dying before(String step) {
        return new Dying(step, false, true);
    }

    /** @param step the store's method that is carried out, and whose answer nobody sees; a claim of nothing does not count */
    public static Dying after(String step) {
        return new Dying(step, true, true);
    }

    /** As {@link #after}, but only the answer is lost, once, and the replica lives on. */
    public static Dying forAMomentAfter(String step) {
        return new Dying(step, true, false);
    }

    public boolean dead() {
        return dead;
    }

    /** The store as the dying replica sees it. All methods of {@code type} answer a future. */
    public <S> S of(Class<S> type, S store) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (self, method, arguments) -> dead && forGood ? killed() : take(store, method, arguments)));
    }

    private Future<?> take(Object store, Method method, Object @Nullable [] arguments)
            throws ReflectiveOperationException {
        if (dead || !method.getName().equals(step)) {
            return call(store, method, arguments);
        }
        if (!after) {
            return killed();
        }
        return call(store, method, arguments)
                .compose(done ->
                        done instanceof List<?> nothing && nothing.isEmpty() ? Future.succeededFuture(done) : killed());
    }

    private static Future<?> call(Object store, Method method, Object @Nullable [] arguments)
            throws ReflectiveOperationException {
        try {
            return (Future<?>) method.invoke(store, arguments);
        } catch (InvocationTargetException thrown) {
            throw new IllegalStateException(thrown.getCause());
        }
    }

    private <T> Future<T> killed() {
        dead = true;
        return Future.failedFuture("killed");
    }
}
