package ai.molecule.registry.devices;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Role;
import ai.molecule.common.auth.Tokens;
import ai.molecule.registry.devices.PgDeviceStore.Outcome;
import ai.molecule.registry.devices.PgDeviceStore.Waiting;
import io.vertx.core.Future;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The rules of the device flow. */
public record DeviceService(PgDeviceStore store, Clock clock) {

    static final Duration LIFE = Duration.ofMinutes(10);

    /** How long a program waits before it asks again. */
    static final Duration PACE = Duration.ofSeconds(5);

    /** A little less: what was sent on time may arrive sooner than the one before did. */
    private static final Duration PACE_MIN = Duration.ofSeconds(4);

    private static final int WAITING_MAX = 1_000;

    /** Consonants, so that no code is a word, and none that look alike: 25,600,000,000 codes, of which ten may be tried a minute. */
    private static final String LETTERS = "BCDFGHJKLMNPQRSTVWXZ";

    private static final int HALF = 4;
    private static final SecureRandom RANDOM = new SecureRandom();

    record Begun(String deviceCode, String userCode, Instant expiresAt) {}

    Future<Begun> begin(String name, String address, String network) {
        var now = clock.instant();
        var begun = new Begun(Tokens.mint(), userCode(), now.plus(LIFE));
        return store.insert(
                        begun.deviceCode, begun.userCode, name, address, network, now, begun.expiresAt, WAITING_MAX - 1)
                .map(begun);
    }

    Future<Waiting> get(String userCode) {
        return store.find(normal(userCode), clock.instant()).map(found -> found.orElseThrow(DeviceService::noneWaits));
    }

    Future<Void> allow(String userCode, UUID person, Role role, @Nullable UUID branch, Duration life) {
        return store.allow(normal(userCode), person, role, branch, life, clock.instant())
                .compose(DeviceService::decided);
    }

    Future<Void> deny(String userCode, UUID person) {
        return store.deny(normal(userCode), person, clock.instant()).compose(DeviceService::decided);
    }

    Future<Outcome> ask(String deviceCode) {
        return store.ask(deviceCode, clock.instant(), PACE_MIN);
    }

    public Future<Void> sweep() {
        return store.forget(clock.instant());
    }

    private static Future<Void> decided(boolean found) {
        return found ? Future.succeededFuture() : Future.failedFuture(noneWaits());
    }

    private static ApiError noneWaits() {
        return ApiError.notFound("no program waits with this code");
    }

    /** As it is kept, however it was typed. */
    private static String normal(String typed) {
        String letters = typed.toUpperCase(Locale.ROOT).replaceAll("[^A-Z]", "");
        return letters.length() == 2 * HALF ? letters.substring(0, HALF) + "-" + letters.substring(HALF) : "";
    }

    private static String userCode() {
        var code = new StringBuilder();
        for (int i = 0; i < 2 * HALF; i++) {
            code.append(i == HALF ? "-" : "").append(LETTERS.charAt(RANDOM.nextInt(LETTERS.length())));
        }
        return code.toString();
    }
}
