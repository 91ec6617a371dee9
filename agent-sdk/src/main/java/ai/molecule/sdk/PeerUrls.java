package ai.molecule.sdk;

import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Where peers were found lately. At most {@value #ENTRIES_MAX}; the one found longest ago makes room. */
final class PeerUrls {

    private static final int ENTRIES_MAX = 10_000;

    private record Found(URI url, Instant until) {}

    private final Duration timeToLive;
    private final Clock clock;
    private final Map<String, Found> found = new LinkedHashMap<>();

    PeerUrls(Duration timeToLive, Clock clock) {
        this.timeToLive = timeToLive;
        this.clock = clock;
    }

    synchronized Optional<URI> find(String peerId) {
        Found entry = found.get(peerId);
        if (entry == null || clock.instant().isBefore(entry.until())) {
            return Optional.ofNullable(entry).map(Found::url);
        }
        found.remove(peerId);
        return Optional.empty();
    }

    synchronized void put(String peerId, URI url) {
        found.remove(peerId);
        if (found.size() >= ENTRIES_MAX) {
            found.remove(found.keySet().iterator().next());
        }
        found.put(peerId, new Found(url, clock.instant().plus(timeToLive)));
    }

    synchronized void forget(String peerId) {
        found.remove(peerId);
    }
}
