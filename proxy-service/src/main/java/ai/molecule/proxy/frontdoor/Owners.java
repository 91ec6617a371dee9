package ai.molecule.proxy.frontdoor;

import ai.molecule.common.config.Env;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the services that own the other paths listen: scheme, host and port, no path. Each has one address or several, one after
 * the other with commas; a name that means several addresses stands for all of them.
 *
 * @param canvas {@code CANVAS_PROXY_URL}: another canvas, see {@link CanvasBeside}; null when there is none
 */
public record Owners(
        List<URI> registry,
        List<URI> events,
        List<URI> provisioner,
        @Nullable URI canvas) {

    public Owners(List<URI> registry, List<URI> events, List<URI> provisioner) {
        this(registry, events, provisioner, null);
    }

    public static Owners fromEnv(Env env) {
        return new Owners(
                urls(env, "REGISTRY_URL", "http://127.0.0.1:8081"),
                urls(env, "EVENTS_URL", "http://127.0.0.1:8082"),
                urls(env, "PROVISIONER_URL", "http://127.0.0.1:8083"),
                canvas(env));
    }

    private static @Nullable URI canvas(Env env) {
        String url = env.find("CANVAS_PROXY_URL");
        return url == null ? null : url("CANVAS_PROXY_URL", url);
    }

    private static List<URI> urls(Env env, String name, String fallback) {
        var given = env.list(name);
        return (given.isEmpty() ? List.of(fallback) : given)
                .stream().map(url -> url(name, url)).toList();
    }

    private static URI url(String name, String text) {
        try {
            var url = new URI(text);
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
