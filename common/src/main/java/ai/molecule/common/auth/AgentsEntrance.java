package ai.molecule.common.auth;

import io.vertx.core.http.HttpServerRequest;

/**
 * Marks requests that came in on the network of the agents' containers. The mark only takes rights away, so it needs no proof:
 * a stranger who sets it loses rights and gains none.
 */
public final class AgentsEntrance {

    /** Set by the front door, passed on to the owners. */
    public static final String HEADER = "X-Molecule-Agents-Entrance";

    private AgentsEntrance() {}

    public static boolean took(HttpServerRequest request) {
        return request.headers().contains(HEADER);
    }
}
