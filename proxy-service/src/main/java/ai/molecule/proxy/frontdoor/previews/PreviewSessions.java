package ai.molecule.proxy.frontdoor.previews;

import ai.molecule.common.auth.Credentials;
import ai.molecule.common.auth.Tokens;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Codes that open a preview once, and the sessions they become, each for one workspace and port. Kept in memory, by hash: agents that are
 * processes share the machine with the only gateway that reaches them, and after its restart a person opens the preview anew. To be used on
 * one event loop.
 */
final class PreviewSessions {

    /** Longer than a browser needs for a redirect, and a person for a click on a printed link. */
    static final Duration CODE_LIFE = Duration.ofMinutes(2);

    static final Duration SESSION_LIFE = Duration.ofHours(8);

    /** Of each kind; beyond it the oldest ends. */
    static final int KEPT_MAX = 1_000;

    /** So that whoever may open one agent's web server does not end what others opened. */
    static final int KEPT_OF_A_HOST_MAX = 50;

    /**
     * What a code or a session opens.
     *
     * @param credential the hash of what whoever opened it showed; null for one that the development bypass let in
     */
    record Opened(PreviewHost host, @Nullable String credential, Instant ends) {}

    private final Clock clock;
    private final Map<String, Opened> codes = bounded();
    private final Map<String, Opened> sessions = bounded();

    PreviewSessions(Clock clock) {
        this.clock = clock;
    }

    /** @return a code that counts once, at that host */
    String offer(PreviewHost host, @Nullable String credential) {
        return put(codes, new Opened(host, credential, clock.instant().plus(CODE_LIFE)));
    }

    /** The session that a code becomes; empty for one that was used, is over, or is another host's. */
    Optional<String> redeem(String code, PreviewHost host) {
        var offered = codes.remove(Credentials.hashOf(code));
        return holds(offered, host)
                .map(opened -> put(
                        sessions,
                        new Opened(host, opened.credential, clock.instant().plus(SESSION_LIFE))));
    }

    Optional<Opened> find(String session, PreviewHost host) {
        return holds(sessions.get(Credentials.hashOf(session)), host);
    }

    private Optional<Opened> holds(@Nullable Opened opened, PreviewHost host) {
        return Optional.ofNullable(opened)
                .filter(one -> one.host.equals(host) && clock.instant().isBefore(one.ends));
    }

    private static String put(Map<String, Opened> kept, Opened opened) {
        String token = Tokens.mint();
        List<String> ofHost = kept.entrySet().stream()
                .filter(one -> one.getValue().host.equals(opened.host))
                .map(Map.Entry::getKey)
                .toList();
        if (ofHost.size() >= KEPT_OF_A_HOST_MAX) {
            kept.remove(ofHost.getFirst());
        }
        kept.put(Credentials.hashOf(token), opened);
        return token;
    }

    private static Map<String, Opened> bounded() {
        return new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Opened> eldest) {
                return size() > KEPT_MAX;
            }
        };
    }
}
