package ai.molecule.sdk;

import java.net.URI;
import java.util.Optional;

/**
 * Who an agent is and where its platform lives.
 *
 * <pre>{@code
 * ClientConfig config = ClientConfig.of(id, "http://localhost:8080", TokenFile.in(folder)).withOrgId("acme");
 * }</pre>
 *
 * @param workspaceId the agent's own workspace
 * @param platformUrl {@code http} or {@code https}, without a trailing slash
 * @param tokens where the workspace token is kept
 * @param orgId sent as {@code X-Molecule-Org-Id} with every request to the platform; absent on a platform of one organisation
 * @param origin sent as {@code Origin}; absent: none is sent
 */
public record ClientConfig(
        String workspaceId, String platformUrl, TokenStore tokens, Optional<String> orgId, Optional<String> origin) {

    /** @throws IllegalArgumentException naming the value that is missing or malformed */
    public ClientConfig {
        if (workspaceId.isBlank()) {
            throw new IllegalArgumentException("workspace id is required");
        }
        platformUrl = withoutTrailingSlashes(platformUrl);
        requireHttp(platformUrl);
    }

    /** The usual agent: no organisation named, and the platform's own URL as origin. */
    public static ClientConfig of(String workspaceId, String platformUrl, TokenStore tokens) {
        return new ClientConfig(
                workspaceId, platformUrl, tokens, Optional.empty(), Optional.of(withoutTrailingSlashes(platformUrl)));
    }

    public ClientConfig withOrgId(String id) {
        return new ClientConfig(workspaceId, platformUrl, tokens, Optional.of(id), origin);
    }

    public ClientConfig withOrigin(String value) {
        return new ClientConfig(workspaceId, platformUrl, tokens, orgId, Optional.of(value));
    }

    public ClientConfig withoutOrigin() {
        return new ClientConfig(workspaceId, platformUrl, tokens, orgId, Optional.empty());
    }

    /** Whether this is an address of the platform itself: the same scheme, host and port, in whatever spelling of these. */
    boolean isOnPlatform(URI url) {
        URI platform = URI.create(platformUrl);
        return platform.getScheme().equalsIgnoreCase(url.getScheme())
                && platform.getHost().equalsIgnoreCase(url.getHost())
                && port(platform) == port(url);
    }

    private static int port(URI url) {
        return url.getPort() >= 0 ? url.getPort() : "https".equalsIgnoreCase(url.getScheme()) ? 443 : 80;
    }

    private static String withoutTrailingSlashes(String url) {
        int end = url.length();
        while (end > 0 && url.charAt(end - 1) == '/') {
            end--;
        }
        return url.substring(0, end);
    }

    private static void requireHttp(String url) {
        URI uri = URI.create(url);
        boolean http = "http".equalsIgnoreCase(uri.getScheme()) || "https".equalsIgnoreCase(uri.getScheme());
        if (!http || uri.getHost() == null) {
            throw new IllegalArgumentException(
                    "platform URL must start with http:// or https:// and name a host: " + url);
        }
    }
}
