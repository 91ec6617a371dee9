package ai.molecule.common.auth;

import io.vertx.core.http.HttpServerRequest;

/**
 * Marks requests that came by the network of the agents' containers. The mark only takes rights away, so it needs no proof: who
 * sends it from elsewhere is the poorer.
 */
public final class AgentsEntrance {

    /** Set by the front door, passed on to the owners. */
    public static final String HEADER = "X-Molecule-Agents-Entrance";

    private AgentsEntrance() {}

    public static boolean took(HttpServerRequest request) {
        return request.headers().contains(HEADER);
    }
}
