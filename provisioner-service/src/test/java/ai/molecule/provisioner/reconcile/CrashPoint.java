package ai.molecule.provisioner.reconcile;

import ai.molecule.common.ApiError;
import ai.molecule.provisioner.testing.Wire;
import io.vertx.core.Future;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Where a provisioner dies: right after its n-th word to the world took effect, without hearing the answer. Whatever it says later
 * does not happen. Dying before a step is dying after the one before it: what was in memory is lost either way.
 */
final class CrashPoint implements Wire {

    /** A lock ends with its holder, and nobody waits for an exit to be answered. */
    private static final Set<String> BESIDE = Set.of("tryLock", "exitOf");

    private final int at;
    private int steps;
    private boolean dead;

    private CrashPoint(int at) {
        this.at = at;
    }

    /** @param step from 0: before it said anything */
    static CrashPoint after(int step) {
        var point = new CrashPoint(step);
        point.dead = step == 0;
        return point;
    }

    static CrashPoint never() {
        return new CrashPoint(-1);
    }

    synchronized int steps() {
        return steps;
    }

    @Override
    public <T> Future<T> pass(Supplier<Future<T>> effect) {
        synchronized (this) {
            if (dead) {
                return killed();
            }
            dead = ++steps == at;
            if (!dead) {
                return effect.get();
            }
        }
        return effect.get().transform(outcome -> killed());
    }

    /** The same interface with every asynchronous method passing here. */
    <T> T between(Class<T> type, T target) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
            try {
                boolean step = method.getReturnType() == Future.class && !BESIDE.contains(method.getName());
                return step ? pass(() -> invoke(target, method, args)) : method.invoke(target, args);
            } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
            }
        }));
    }

    @SuppressWarnings("unchecked") // every such method returns a Future of something
    private static Future<Object> invoke(Object target, Method method, Object[] args) {
        try {
            return (Future<Object>) method.invoke(target, args);
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static <T> Future<T> killed() {
        return Future.failedFuture(ApiError.unavailable("killed"));
    }
}
