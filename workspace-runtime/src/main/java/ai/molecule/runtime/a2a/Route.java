package ai.molecule.runtime.a2a;

import io.vertx.core.http.HttpMethod;
import java.util.Optional;

/** Every path this agent answers, and who may ask; docs/wire/runtime.md lists the same. */
enum Route {
    CARD("GET", "/.well-known/agent-card.json", Guard.OPEN),
    OLDER_CARD("GET", "/.well-known/agent.json", Guard.OPEN),
    CALL("POST", "/", Guard.CALLER),
    CALL_BY_NAME("POST", "/a2a", Guard.CALLER),
    TASK("GET", "/v1/tasks/:id", Guard.CALLER),
    OLDER_TASK("GET", "/tasks/:id", Guard.CALLER),
    TRANSCRIPT("GET", "/transcript", Guard.OWNER);

    /** Who may ask. */
    enum Guard {
        OPEN,
        /** Everybody, unless the agent requires its token. */
        CALLER,
        /** Whoever shows the agent's own token. */
        OWNER
    }

    private static final String PARAMETER = ":id";

    private final String method;
    private final String path;
    private final Guard guard;

    Route(String method, String path, Guard guard) {
        this.method = method;
        this.path = path;
        this.guard = guard;
    }

    /** HEAD is answered where GET is. */
    static Optional<Route> of(HttpMethod method, String path) {
        String asked = method.equals(HttpMethod.HEAD) ? "GET" : method.name();
        for (Route route : values()) {
            if (route.method.equals(asked) && route.matches(path)) {
                return Optional.of(route);
            }
        }
        return Optional.empty();
    }

    String method() {
        return method;
    }

    String path() {
        return path;
    }

    Guard guard() {
        return guard;
    }

    /** What stands in the place of the path's parameter, still encoded. */
    String parameter(String asked) {
        return asked.substring(path.length() - PARAMETER.length());
    }

    private boolean matches(String asked) {
        if (!path.endsWith(PARAMETER)) {
            return path.equals(asked);
        }
        String fixed = path.substring(0, path.length() - PARAMETER.length());
        return asked.length() > fixed.length() && asked.startsWith(fixed) && asked.indexOf('/', fixed.length()) < 0;
    }
}
