package ai.molecule.registry.discovery;

import ai.molecule.common.ApiError;
import ai.molecule.common.workspaces.Delivery;
import ai.molecule.registry.workspaces.Workspace;
import java.net.URI;
import java.util.Map;
import java.util.Set;

/**
 * Decides where one agent reaches another (docs/wire/registry.md). Pure.
 *
 * @param url what the caller is told
 * @param check the URL that must pass the address rules first; empty when it is one of ours
 */
record Reach(String url, String check) {

    private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "localhost", "::1", "[::1]");
    private static final int SHORT_ID_LENGTH = 12;

    /** Fails with NOT_FOUND for an agent that cannot be called and UNAVAILABLE, with the status, for one that is not there. */
    static Reach of(Location caller, Location target) {
        if (fetchesItsMessages(target)) {
            throw ApiError.notFound("workspace has no inbound URL");
        }
        if (external(target) && !target.url().isEmpty()) {
            return new Reach(inContainer(caller) ? fromContainer(target.url()) : target.url(), target.url());
        }
        if (!target.status().live()) {
            throw new ApiError(
                    ApiError.Kind.UNAVAILABLE,
                    "workspace not available",
                    Map.of("status", target.status().wire()));
        }
        if (target.internalUrl() != null) {
            return new Reach(target.internalUrl(), "");
        }
        return new Reach(target.url().isEmpty() ? conventional(target) : target.url(), "");
    }

    private static boolean fetchesItsMessages(Location target) {
        String url = external(target) ? Delivery.externalAddress(target.url(), target.status()) : target.url();
        return Delivery.of(url) == Delivery.POLL;
    }

    private static boolean external(Location workspace) {
        return workspace.runtime().equals(Workspace.EXTERNAL);
    }

    /** An agent of ours is in a container unless its recorded endpoint is this very machine. */
    private static boolean inContainer(Location caller) {
        return !external(caller) && (caller.internalUrl() == null || !onThisMachine(caller.internalUrl()));
    }

    private static boolean onThisMachine(String url) {
        String host = URI.create(url).getHost();
        return host != null && LOOPBACK.contains(host);
    }

    private static String fromContainer(String url) {
        return url.replaceFirst("127\\.0\\.0\\.1", "host.docker.internal")
                .replaceFirst("localhost", "host.docker.internal");
    }

    /** The name a container of ours has on its network. */
    private static String conventional(Location target) {
        return "http://ws-%s:8000".formatted(target.id().toString().substring(0, SHORT_ID_LENGTH));
    }
}
