package ai.molecule.sdk;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets another thread end a blocking call without ending anything else: the interrupt it sends can hit nothing but the call.
 * A wake-up that finds no call is kept for the next one.
 */
final class WakeableWait {

    private @Nullable Thread waiting;
    private boolean woken;

    /** @return the call's result; null when it was woken, before or while */
    <T> @Nullable T call(Supplier<T> blocking) {
        if (!enter()) {
            return null;
        }
        try {
            return blocking.get();
        } catch (PlatformException e) {
            if (isWoken()) {
                return null;
            }
            throw e;
        } finally {
            leave();
        }
    }

    synchronized boolean isWoken() {
        return woken;
    }

    /** A wake-up is used up once the caller has come back because of it. */
    synchronized void clear() {
        woken = false;
    }

    synchronized void wake() {
        woken = true;
        if (waiting != null) {
            waiting.interrupt();
        }
    }

    private synchronized boolean enter() {
        if (woken) {
            return false;
        }
        waiting = Thread.currentThread();
        return true;
    }

    private synchronized void leave() {
        waiting = null;
        if (woken) {
            Thread.interrupted(); // ours; it must not reach the handler
        }
    }
}
