package ai.molecule.registry.signins;

import ai.molecule.common.config.Env;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A provider of OpenID Connect that an operator trusts to say who somebody is: {@code MOLECULE_OIDC_ISSUER}, {@code …_CLIENT_ID},
 * {@code …_CLIENT_SECRET} and {@code …_NAME}; further ones as {@code MOLECULE_OIDC_2_ISSUER} to {@code MOLECULE_OIDC_4_ISSUER}.
 *
 * @param id in paths, made of the name
 * @param name as people read it on the button
 * @param clientSecret null for a public client, which PKCE alone protects
 */
public record OidcProvider(
        String id,
        String name,
        String issuer,
        String clientId,
        @Nullable String clientSecret) {

    private static final int MOST = 4;
    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

    /** @throws IllegalArgumentException for one that is half said, or that would be asked in clear */
    public static List<OidcProvider> fromEnv(Env env) {
        var providers = new ArrayList<OidcProvider>();
        for (int i = 1; i <= MOST; i++) {
            String prefix = i == 1 ? "MOLECULE_OIDC_" : "MOLECULE_OIDC_" + i + "_";
            String issuer = env.find(prefix + "ISSUER");
            if (issuer != null) {
                providers.add(of(env, prefix, issuer));
            }
        }
        var ids = providers.stream().map(OidcProvider::id).collect(Collectors.toSet());
        if (ids.size() < providers.size()) {
            throw new IllegalArgumentException("MOLECULE_OIDC_NAME: each provider needs a name of its own");
        }
        return List.copyOf(providers);
    }

    private static OidcProvider of(Env env, String prefix, String issuer) {
        URI place;
        try {
            place = URI.create(issuer);
        } catch (IllegalArgumentException malformed) {
            throw new IllegalArgumentException(prefix + "ISSUER must be a URL", malformed);
        }
        if (!isSafe(place)) {
            throw new IllegalArgumentException(prefix + "ISSUER must begin with https://");
        }
        String name = env.text(prefix + "NAME", place.getHost());
        String id = name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^-|-$", "");
        if (id.isEmpty()) {
            throw new IllegalArgumentException(prefix + "NAME must have a letter or a digit");
        }
        return new OidcProvider(
                id, name, issuer, env.required(prefix + "CLIENT_ID"), env.find(prefix + "CLIENT_SECRET"));
    }

    /** In clear only on this machine. */
    static boolean isSafe(URI place) {
        return place.getHost() != null
                && ("https".equals(place.getScheme())
                        || ("http".equals(place.getScheme()) && LOOPBACK.contains(place.getHost())));
    }

    /** Without its secret: a config may end up in a log. */
    @Override
    public String toString() {
        return "OidcProvider[" + issuer + "]";
    }
}
