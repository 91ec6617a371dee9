package ai.molecule.sdk;

import java.net.URI;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Keeps pages in a browser from talking to an agent behind their reader's back. A browser reaches every port of its own machine,
 * and sends for any page what needs no permission; it says which page in {@code Origin}.
 *
 * <pre>{@code
 * var headers = exchange.getRequestHeaders();
 * if (!WebPages.mayAsk(headers.getFirst("Origin"), headers.getFirst("Host"), headers.getFirst("X-Workspace-ID"))) {
 *     exchange.sendResponseHeaders(403, -1);
 * }
 * }</pre>
 */
public final class WebPages {

    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

    private WebPages() {}

    /**
     * Whether a request may be answered. One without {@code Origin} comes from a program, and pages of this machine may ask. Programs
     * that send an {@code Origin} beside their {@code X-Workspace-ID} may too: a page may send that header only where it was asked
     * before, or to its own host. The latter is refused, for any name can be pointed at this machine.
     *
     * @param origin as sent, null without one
     * @param host the {@code Host} as sent, null without one
     * @param workspace the {@code X-Workspace-ID} as sent, null without one
     */
    public static boolean mayAsk(@Nullable String origin, @Nullable String host, @Nullable String workspace) {
        if (origin == null) {
            return true;
        }
        URI page;
        try {
            page = URI.create(origin);
        } catch (IllegalArgumentException malformed) {
            return false;
        }
        if (LOOPBACK.contains(String.valueOf(page.getHost()).toLowerCase(Locale.ROOT))) {
            return true;
        }
        String authority = page.getRawAuthority();
        return workspace != null && authority != null && host != null && !authority.equalsIgnoreCase(host);
    }
}
