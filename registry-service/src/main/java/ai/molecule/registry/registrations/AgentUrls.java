package ai.molecule.registry.registrations;

import ai.molecule.common.net.HttpTarget;
import ai.molecule.common.net.SafeDialer;
import io.vertx.core.Future;
import java.net.URI;
import java.net.URISyntaxException;

/**
 * Which URLs an agent may register (docs/wire/registry.md): http and https to an address the rules allow, the name {@code
 * localhost}, and {@code remote://…} for an agent that fetches its messages (decision 5).
 */
public final class AgentUrls {

    private static final int LENGTH_MAX = 2048;

    private final SafeDialer rules;

    /** @param rules a dialer with the address rules for registration; nothing is dialled */
    public AgentUrls(SafeDialer rules) {
        this.rules = rules;
    }

    Future<Boolean> acceptable(String url) {
        if (url.length() > LENGTH_MAX) {
            return Future.succeededFuture(false);
        }
        if (fetchesItsMessages(url)) {
            return Future.succeededFuture(true);
        }
        return HttpTarget.of(url)
                .map(target ->
                        target.host().equalsIgnoreCase("localhost") ? Future.succeededFuture(true) : rules.permits(url))
                .orElse(Future.succeededFuture(false));
    }

    private static boolean fetchesItsMessages(String url) {
        try {
            var uri = new URI(url);
            return "remote".equalsIgnoreCase(uri.getScheme()) && uri.getRawUserInfo() == null;
        } catch (URISyntaxException malformed) {
            return false;
        }
    }
}
