package ai.molecule.events.hub;

import ai.molecule.common.ApiError;
import java.util.HashMap;
import java.util.Map;

/**
 * How many connections one address and one credential may hold on a replica: those of a stranger, or of one agent gone wrong, leave
 * room for everybody else's. To be used on one event loop.
 */
public final class SubscriberLimits {

    private static final int RETRY_SECONDS = 60;

    private final Limit addresses;
    private final Limit credentials;

    private record Limit(String of, int max, Map<String, Integer> held) {

        void check(String key) {
            if (held.getOrDefault(key, 0) >= max) {
                throw new ApiError(
                        ApiError.Kind.RATE_LIMITED,
                        "too many connections of this " + of,
                        Map.of("retry_after", RETRY_SECONDS));
            }
        }

        void take(String key) {
            held.merge(key, 1, Integer::sum);
        }

        void giveBack(String key) {
            held.computeIfPresent(key, (same, count) -> count == 1 ? null : count - 1);
        }
    }

    /** @param unlimited where everybody is one person at one machine */
    public SubscriberLimits(int perAddress, int perCredential, boolean unlimited) {
        this.addresses = new Limit("address", unlimited ? Integer.MAX_VALUE : perAddress, new HashMap<>());
        this.credentials = new Limit("credential", unlimited ? Integer.MAX_VALUE : perCredential, new HashMap<>());
    }

    /** A connection's place, to be given back once, when it ends. Fails with RATE_LIMITED for one too many. */
    public Runnable take(String address, String credential) {
        addresses.check(address);
        credentials.check(credential);
        addresses.take(address);
        credentials.take(credential);
        return () -> {
            addresses.giveBack(address);
            credentials.giveBack(credential);
        };
    }
}
