package ai.molecule.common.http;

import ai.molecule.common.auth.Tokens;
import ai.molecule.common.config.PlatformConfig;
import io.netty.util.NetUtil;
import io.vertx.core.http.HttpServerRequest;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Tells requests that came through the front door from those of strangers. Only the former's {@code X-Forwarded-*} are believed
 * (decision 18).
 */
public final class Edge {

    public static final String HEADER = "X-Molecule-Edge";

    private static final int IPV6_BYTES = 16;

    private final @Nullable String secret;

    public Edge(PlatformConfig config) {
        this.secret = config.edgeSecret();
    }

    public boolean passed(HttpServerRequest request) {
        String sent = request.getHeader(HEADER);
        return secret != null && sent != null && Tokens.same(sent, secret);
    }

    /** The client's address: the front door's word for it, else the TCP peer. */
    public String clientOf(HttpServerRequest request) {
        String forwarded = request.getHeader("X-Forwarded-For");
        if (forwarded != null && passed(request)) {
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

    /** {@code scheme://host} as the client typed it, for URLs that go back to it. */
    public String originOf(HttpServerRequest request) {
        boolean trusted = passed(request);
        String proto = trusted ? request.getHeader("X-Forwarded-Proto") : null;
        String host = trusted ? request.getHeader("X-Forwarded-Host") : null;
        String scheme = proto != null ? proto : request.isSSL() ? "https" : "http";
        String authority = host != null ? host : String.valueOf(request.getHeader("Host"));
        return scheme + "://" + authority;
    }
}
