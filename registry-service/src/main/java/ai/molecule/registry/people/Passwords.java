package ai.molecule.registry.people;

import ai.molecule.common.ApiError;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Hashes and compares passwords beside the event loop: two at a time, so that guessing takes neither all cores nor all memory. */
public final class Passwords {

    static final int CHARS_MIN = 12;
    private static final int CHARS_MAX = 200;

    private static final int AT_A_TIME = 2;
    private static final int WAITING_MAX = 64;

    /** Compared with where there is no account, so that an answer takes as long as where there is one. */
    private static final String NOBODYS = PasswordHash.of("nobody's password");

    private final WorkerExecutor workers;
    private final AtomicInteger waiting = new AtomicInteger();

    public Passwords(Vertx vertx) {
        this.workers = vertx.createSharedWorkerExecutor("passwords", AT_A_TIME);
    }

    /** Fails with INVALID for one that is too short or too long. */
    static String checked(String password) {
        int chars = password.codePointCount(0, password.length());
        if (chars < CHARS_MIN || chars > CHARS_MAX) {
            throw ApiError.invalid("a password has %d to %d characters".formatted(CHARS_MIN, CHARS_MAX));
        }
        return password;
    }

    Future<String> hash(String password) {
        return run(() -> PasswordHash.of(password));
    }

    /** @param stored null where there is none; then never, and no sooner */
    Future<Boolean> matches(String password, @Nullable String stored) {
        if (password.length() > 4 * CHARS_MAX) {
            return Future.succeededFuture(false);
        }
        return run(() -> PasswordHash.matches(password, stored == null ? NOBODYS : stored) && stored != null);
    }

    private <T> Future<T> run(Callable<T> work) {
        if (waiting.incrementAndGet() > WAITING_MAX) {
            waiting.decrementAndGet();
            return Future.failedFuture(ApiError.unavailable("too many people sign in at once"));
        }
        return workers.executeBlocking(work, false).onComplete(done -> waiting.decrementAndGet());
    }
}
