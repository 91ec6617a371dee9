package ai.molecule.common.http;

import ai.molecule.common.auth.Signature;
import ai.molecule.common.auth.Tokens;
import ai.molecule.common.config.PlatformConfig;
import io.netty.util.NetUtil;
import io.vertx.core.http.HttpServerRequest;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Tells requests that came through the front door, and those that something before it passed on, from those of strangers. Only of these
 * {@code X-Forwarded-*} are believed (decision 18). What a forwarder passed on is judged as what came directly, by what it says of the client.
 */
public final class Edge {

    public static final String HEADER = "X-Molecule-Edge";

    private static final int IPV6_SITE_DIGITS = 12;
    private static final int IPV6_BYTES = 16;

    private final @Nullable String secret;
    private final @Nullable String forwarders;

    public Edge(PlatformConfig config) {
        secret = config.edgeSecret();
        forwarders = secret == null ? null : forwarderSecret(secret);
    }

    /**
     * What a forwarder, which ends TLS before the front door, sends as {@link #HEADER}: 64 hexadecimal digits. They tell nobody the edge
     * secret, and spare nobody what the front door judges: a forwarder passes on only what comes for a host that it serves.
     */
    public static String forwarderSecret(String edgeSecret) {
        return Signature.of(edgeSecret, "forwarder".getBytes(StandardCharsets.US_ASCII))
                .substring(Signature.PREFIX.length());
    }

    /** Whether it came through the front door, which counted it and judged its host and its origin. */
    public boolean passed(HttpServerRequest request) {
        String sent = request.getHeader(HEADER);
        return secret != null && sent != null && Tokens.same(sent, secret);
    }

    private boolean isBelieved(HttpServerRequest request) {
        String sent = request.getHeader(HEADER);
        return passed(request) || (forwarders != null && sent != null && Tokens.same(sent, forwarders));
    }

    /** The client's address: the word of the front door or a forwarder for it, else the TCP peer. */
    public String clientOf(HttpServerRequest request) {
        String forwarded = request.getHeader("X-Forwarded-For");
        if (forwarded != null && isBelieved(request)) {
            return forwarded.split(",", 2)[0].trim();
        }
        return request.remoteAddress() == null
                ? "unknown"
                : request.remoteAddress().hostAddress();
    }

    /** What counts as one client: its address, of IPv6 the first half, because the other is any household's to choose. */
    public String networkOf(HttpServerRequest request) {
        String client = clientOf(request);
        byte @Nullable [] address = client.indexOf(':') < 0 ? null : NetUtil.createByteArrayFromIpAddressString(client);
        return address == null || address.length != IPV6_BYTES
                ? client
                : HexFormat.of().formatHex(address, 0, IPV6_BYTES / 2) + "::";
    }

    /** What shares with its neighbours what there is for all: of an IPv4 address the first 24 bits, of IPv6 48, which one party may hold all of. */
    public String siteOf(HttpServerRequest request) {
        String network = networkOf(request);
        int end = network.endsWith("::") ? IPV6_SITE_DIGITS : network.lastIndexOf('.');
        return network.substring(0, end < 0 ? network.length() : Math.min(end, network.length()));
    }

    /** {@code scheme://host} as the client typed it, for URLs that go back to it. */
    public String originOf(HttpServerRequest request) {
        String proto = isBelieved(request) ? request.getHeader("X-Forwarded-Proto") : null;
        String scheme = proto != null ? proto : request.isSSL() ? "https" : "http";
        return scheme + "://" + hostOf(request);
    }

    /** {@code host} or {@code host:port} as the client typed it; {@code null} as text where it said none. */
    public String hostOf(HttpServerRequest request) {
        String host = isBelieved(request) ? request.getHeader("X-Forwarded-Host") : null;
        return host != null ? host : String.valueOf(request.getHeader("Host"));
    }
}
