package ai.molecule.common.net;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * An {@code http} or {@code https} URL taken apart.
 *
 * @param host name or literal, IPv6 without brackets
 * @param uri path and query as written, {@code /} when there is none
 */
public record HttpTarget(boolean https, String host, int port, String uri) {

    private static final int PORT_MAX = 65_535;

    /** A host with such an end is an IPv4 address to some software: {@code 127.1, 0x7f.1, 0177.0.0.1, 2130706433}. */
    private static final Pattern NUMERIC = Pattern.compile("(.*\\.)?([0-9]+|0[xX][0-9a-fA-F]*)\\.?");

    private static final Pattern FOUR_NUMBERS =
            Pattern.compile("(?:(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])(?:\\.(?=[0-9])|$)){4}");

    /**
     * Empty for another scheme, no host, credentials before the host, a port out of range, what is no URL, and an IPv4 address
     * that is not plainly four numbers: readers disagree about which one it is.
     */
    public static Optional<HttpTarget> of(String url) {
        URI parsed;
        try {
            parsed = new URI(url);
        } catch (URISyntaxException malformed) {
            return Optional.empty();
        }
        boolean https = "https".equalsIgnoreCase(parsed.getScheme());
        boolean http = https || "http".equalsIgnoreCase(parsed.getScheme());
        String host = parsed.getHost();
        if (!http || host == null || parsed.getRawUserInfo() != null || parsed.getPort() > PORT_MAX) {
            return Optional.empty();
        }
        if (NUMERIC.matcher(host).matches() && !FOUR_NUMBERS.matcher(host).matches()) {
            return Optional.empty();
        }
        String bare = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        int port = parsed.getPort() > 0 ? parsed.getPort() : https ? 443 : 80;
        String path = parsed.getRawPath().isEmpty() ? "/" : parsed.getRawPath();
        String query = parsed.getRawQuery() == null ? "" : "?" + parsed.getRawQuery();
        return Optional.of(new HttpTarget(https, bare, port, path + query));
    }

    /** As it stands in a {@code Host} header, without the port. */
    String authority() {
        return host.contains(":") ? "[" + host + "]" : host;
    }
}
