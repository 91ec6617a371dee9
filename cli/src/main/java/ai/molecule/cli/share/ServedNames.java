package ai.molecule.cli.share;

import io.vertx.core.http.HttpServerRequest;
import java.util.Collection;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/**
 * By which names this machine is asked for: those that sharing was begun with, those of its certificate, and the address that was
 * connected to. A web page on another name must not reach the platform through DNS.
 */
final class ServedNames {

    private static final String ANY_LABEL = "*.";

    private final Set<String> names = new HashSet<>(Set.of("localhost", "127.0.0.1", "::1"));

    /** @param certified names of a certificate, of which one may begin with {@code *.} */
    ServedNames(String called, Collection<String> certified) {
        names.add(called.toLowerCase(Locale.ROOT));
        certified.forEach(name -> names.add(name.toLowerCase(Locale.ROOT)));
    }

    boolean has(HttpServerRequest request) {
        var authority = request.authority();
        if (authority == null) {
            return false;
        }
        String host = withoutBrackets(authority.host().toLowerCase(Locale.ROOT));
        int label = host.indexOf('.');
        boolean underAny = label > 0 && names.contains(ANY_LABEL + host.substring(label + 1));
        return names.contains(host)
                || underAny
                || host.equals(request.localAddress().hostAddress());
    }

    private static String withoutBrackets(String host) {
        return host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
    }
}
