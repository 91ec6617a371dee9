package ai.molecule.registry.registrations;

import ai.molecule.common.ApiError;
import ai.molecule.common.net.HttpTarget;
import ai.molecule.common.net.SafeDialer;
import io.vertx.core.Future;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;

/**
 * Which URLs an agent may register (docs/wire/registry.md): http and https to an address the rules allow, the name {@code
 * localhost}, and {@code remote://…} for an agent that fetches its messages (decision 5).
 *
 * @param rules a dialer with the address rules for registration; nothing is dialled
 */
public record AgentUrls(SafeDialer rules) {

    static final String NOT_PERMITTED =
            "url is not at a public address; private networks are opened by MOLECULE_AGENT_NETWORKS";

    private static final int LENGTH_MAX = 2048;

    /** Fails with INVALID. */
    Future<Void> check(String url) {
        if (url.length() <= LENGTH_MAX && fetchesItsMessages(url)) {
            return Future.succeededFuture();
        }
        var target = url.length() <= LENGTH_MAX ? HttpTarget.of(url) : Optional.<HttpTarget>empty();
        if (target.isEmpty()) {
            return Future.failedFuture(ApiError.invalid("invalid request body"));
        }
        return target.get().host().equalsIgnoreCase("localhost")
                ? Future.succeededFuture()
                : rules.permits(url)
                        .compose(permitted -> permitted
                                ? Future.succeededFuture()
                                : Future.failedFuture(ApiError.invalid(NOT_PERMITTED)));
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
