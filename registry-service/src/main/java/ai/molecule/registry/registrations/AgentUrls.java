package ai.molecule.registry.registrations;

import ai.molecule.common.net.SafeDialer;
import io.vertx.core.Future;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Set;

/**
 * Which URLs an agent may register (docs/wire/registry.md): http and https to an address the rules allow, the name {@code
 * localhost}, and {@code remote://…} for an agent that fetches its messages (decision 5).
 */
public final class AgentUrls {

    private static final int LENGTH_MAX = 2048;
    private static final Set<String> DIALLED = Set.of("http", "https");

    private final SafeDialer rules;

    /** @param rules a dialer with the address rules for registration; nothing is dialled */
    public AgentUrls(SafeDialer rules) {
        this.rules = rules;
    }

    Future<Boolean> acceptable(String url) {
        URI uri;
        try {
            uri = new URI(url);
        } catch (URISyntaxException malformed) {
            return Future.succeededFuture(false);
        }
        String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
        if (url.length() > LENGTH_MAX || uri.getUserInfo() != null) {
            return Future.succeededFuture(false);
        }
        if (scheme.equals("remote")) {
            return Future.succeededFuture(true);
        }
        if (!DIALLED.contains(scheme) || uri.getHost() == null) {
            return Future.succeededFuture(false);
        }
        return uri.getHost().equalsIgnoreCase("localhost") ? Future.succeededFuture(true) : rules.permits(url);
    }
}
