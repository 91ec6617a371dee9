package ai.molecule.sdk;

import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Where peers were found lately, and what proves there who calls. At most {@value #ENTRIES_MAX}; the one found longest ago makes room. */
final class PeerUrls {

    private static final int ENTRIES_MAX = 10_000;

    /** Less than a token holds at least when it is given. */
    private static final Duration TOKEN_USED = Duration.ofSeconds(25);

    /** @param tokenUntil as long as the address where there is no token to renew */
    private record Found(PeerAddress address, Instant until, Instant tokenUntil) {}

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
            return Optional.ofNullable(entry).map(found -> found.address().url());
        }
        found.remove(peerId);
        return Optional.empty();
    }

    /** With a token that holds, where the platform gave one; else the platform has to be asked again. */
    synchronized Optional<PeerAddress> callable(String peerId) {
        Found entry = found.get(peerId);
        return Optional.ofNullable(entry)
                .filter(known -> clock.instant().isBefore(known.tokenUntil()))
                .map(Found::address);
    }

    /** Where somebody else says that it is: there is no proof for that. */
    synchronized void put(String peerId, URI url) {
        put(peerId, new PeerAddress(url, Optional.empty()), clock.instant());
    }

    synchronized void put(String peerId, PeerAddress address) {
        Duration proven = address.token().isPresent() ? TOKEN_USED : timeToLive;
        put(peerId, address, clock.instant().plus(proven));
    }

    private void put(String peerId, PeerAddress address, Instant tokenUntil) {
        found.remove(peerId);
        if (found.size() >= ENTRIES_MAX) {
            found.remove(found.keySet().iterator().next());
        }
        found.put(peerId, new Found(address, clock.instant().plus(timeToLive), tokenUntil));
    }

    synchronized void forget(String peerId) {
        found.remove(peerId);
    }
}
