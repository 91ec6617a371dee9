package ai.molecule.proxy.frontdoor;

import ai.molecule.common.config.Env;
import ai.molecule.common.routing.Owner;
import java.net.URI;
import java.net.URISyntaxException;

/** Where the services that own the other paths listen: scheme, host and port, no path. */
public record Owners(URI registry, URI events, URI provisioner) {

    public static Owners fromEnv(Env env) {
        return new Owners(
                url(env, "REGISTRY_URL", "http://127.0.0.1:8081"),
                url(env, "EVENTS_URL", "http://127.0.0.1:8082"),
                url(env, "PROVISIONER_URL", "http://127.0.0.1:8083"));
    }

    /** {@link Owner#PROXY} has no address: its paths are served here. */
    URI addressOf(Owner owner) {
        return switch (owner) {
            case REGISTRY -> registry;
            case EVENTS -> events;
            case PROVISIONER -> provisioner;
            case PROXY -> throw new IllegalArgumentException("the proxy's own paths are not forwarded");
        };
    }

    private static URI url(Env env, String name, String fallback) {
        try {
            var url = new URI(env.text(name, fallback));
            boolean plain = url.getPath() == null
                    || url.getPath().isEmpty()
                    || url.getPath().equals("/");
            if ("http".equals(url.getScheme()) && url.getHost() != null && plain) {
                return url;
            }
        } catch (URISyntaxException malformed) {
            // same answer as for one of another form
        }
        throw new IllegalArgumentException(name + " must look like http://host:port");
    }
}
