package ai.molecule.common.auth;

import ai.molecule.common.ApiError;
import io.vertx.core.http.HttpServerRequest;
import java.util.UUID;

/**
 * Marks requests that came in by the agents' door. The mark only takes rights away, so it needs no proof: a stranger who sets it
 * loses rights and gains none.
 */
public final class AgentsEntrance {

    /** Set by the front door, passed on to the owners. */
    public static final String HEADER = "X-Molecule-Agents-Entrance";

    private AgentsEntrance() {}

    public static boolean took(HttpServerRequest request) {
        return request.headers().contains(HEADER);
    }

    /**
     * For what a workspace says of itself in a body: who came in here may say it of nobody else. Throws 401 for another's id.
     *
     * @param id whom the body names
     */
    public static void actsFor(HttpServerRequest request, UUID id) {
        String self = took(request) ? request.getHeader("X-Workspace-ID") : null;
        if (self != null && !Ids.find(self).filter(id::equals).isPresent()) {
            throw ApiError.unauthenticated("invalid workspace auth token");
        }
    }
}
