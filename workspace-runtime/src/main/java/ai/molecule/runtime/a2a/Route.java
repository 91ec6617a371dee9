package ai.molecule.runtime.a2a;

import io.vertx.core.http.HttpMethod;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Every path this agent answers, and who may ask; docs/wire/runtime.md lists the same. The first that fits counts. */
enum Route {
    CARD("GET", "/.well-known/agent-card.json", Guard.OPEN),
    OLDER_CARD("GET", "/.well-known/agent.json", Guard.OPEN),
    CALL("POST", "/", Guard.CALLER),
    CALL_BY_NAME("POST", "/a2a", Guard.CALLER),
    SEND("POST", "/message:send", Operation.SEND),
    STREAM("POST", "/message:stream", Operation.STREAM),
    LIST("GET", "/tasks", Operation.LIST),
    CANCEL("POST", "/tasks/:id:cancel", Operation.CANCEL),
    FOLLOW("GET", "/tasks/:id:subscribe", Operation.FOLLOW),
    FOLLOW_BY_POST("POST", "/tasks/:id:subscribe", Operation.FOLLOW),
    PUSH_CREATE("POST", "/tasks/:id/pushNotificationConfigs", Operation.PUSH),
    PUSH_LIST("GET", "/tasks/:id/pushNotificationConfigs", Operation.PUSH),
    PUSH_GET("GET", "/tasks/:id/pushNotificationConfigs/:configId", Operation.PUSH),
    PUSH_DELETE("DELETE", "/tasks/:id/pushNotificationConfigs/:configId", Operation.PUSH),
    EXTENDED_CARD("GET", "/extendedAgentCard", Operation.EXTENDED_CARD),
    TASK("GET", "/v1/tasks/:id", Guard.CALLER),
    OLDER_TASK("GET", "/tasks/:id", Guard.CALLER),
    TRANSCRIPT("GET", "/transcript", Guard.OWNER);

    /** Who may ask. */
    enum Guard {
        OPEN,
        /** Everybody, unless the agent requires its token. */
        CALLER,
        /** Whoever shows the agent's own token, and the platform where a person asks. */
        OWNER
    }

    private final String method;
    private final String path;
    private final Guard guard;
    private final Optional<Operation> operation;
    private final Pattern pattern;

    Route(String method, String path, Guard guard) {
        this(method, path, guard, Optional.empty());
    }

    Route(String method, String path, Operation operation) {
        this(method, path, Guard.CALLER, Optional.of(operation));
    }

    Route(String method, String path, Guard guard, Optional<Operation> operation) {
        this.method = method;
        this.path = path;
        this.guard = guard;
        this.operation = operation;
        this.pattern = Pattern.compile(
                path.replace(".", "\\.").replace(":configId", "[^/]+").replaceFirst(":id", "(?<id>[^/]+)"));
    }

    /** HEAD is answered where GET is. */
    static Optional<Route> of(HttpMethod method, String path) {
        String asked = method.equals(HttpMethod.HEAD) ? "GET" : method.name();
        for (Route route : values()) {
            if (route.method.equals(asked) && route.pattern.matcher(path).matches()) {
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

    /** What HTTP+JSON asks for here; empty where the path is not of that binding. */
    Optional<Operation> operation() {
        return operation;
    }

    /** What stands in the place of the path's id, still encoded; empty where it has none. */
    String idIn(String asked) {
        Matcher matcher = pattern.matcher(asked);
        return path.contains(":id") && matcher.matches() ? matcher.group("id") : "";
    }
}
