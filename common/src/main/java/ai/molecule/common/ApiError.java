package ai.molecule.common;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A failure with a meaning for the caller. Services and stores fail with it; only
 * {@link ai.molecule.common.http.ErrorResponses} knows that it becomes HTTP, and only {@link ai.molecule.common.bus.Bus} that
 * it crosses the event bus.
 *
 * <p>{@link #publicMessage()} is sent to the client: it names what the client sent, never an SQL text, a host or a stack.
 * {@link #details()} are further members of the error body, such as {@code code} or {@code restarting}; a member
 * {@code retry_after} (whole seconds) also becomes the {@code Retry-After} header.
 */
public final class ApiError extends RuntimeException {

    /** One kind per thing a caller can do differently, each with its one HTTP status. */
    public enum Kind {
        INVALID(400),
        UNAUTHENTICATED(401),
        BUDGET_EXCEEDED(402),
        FORBIDDEN(403),
        NOT_FOUND(404),
        CONFLICT(409),
        GONE(410),
        PRECONDITION_FAILED(412),
        TOO_LARGE(413),
        MISDIRECTED(421),
        UNPROCESSABLE(422),
        RATE_LIMITED(429),
        INTERNAL(500),
        NOT_IMPLEMENTED(501),
        BAD_GATEWAY(502),
        UNAVAILABLE(503),
        TIMED_OUT(504),
        INSUFFICIENT_STORAGE(507);

        private final int status;

        Kind(int status) {
            this.status = status;
        }

        public int status() {
            return status;
        }
    }

    private final Kind kind;
    private final String publicMessage;
    private final transient Map<String, Object> details;

    public ApiError(Kind kind, String publicMessage, Map<String, Object> details) {
        super(publicMessage);
        this.kind = kind;
        this.publicMessage = publicMessage;
        this.details = Collections.unmodifiableMap(new LinkedHashMap<>(details)); // in their order, as they are sent
    }

    public ApiError(Kind kind, String publicMessage) {
        this(kind, publicMessage, Map.of());
    }

    public static ApiError invalid(String publicMessage) {
        return new ApiError(Kind.INVALID, publicMessage);
    }

    public static ApiError unauthenticated(String publicMessage) {
        return new ApiError(Kind.UNAUTHENTICATED, publicMessage);
    }

    public static ApiError forbidden(String publicMessage) {
        return new ApiError(Kind.FORBIDDEN, publicMessage);
    }

    public static ApiError notFound(String publicMessage) {
        return new ApiError(Kind.NOT_FOUND, publicMessage);
    }

    public static ApiError conflict(String publicMessage) {
        return new ApiError(Kind.CONFLICT, publicMessage);
    }

    public static ApiError internal(String publicMessage) {
        return new ApiError(Kind.INTERNAL, publicMessage);
    }

    public static ApiError unavailable(String publicMessage) {
        return new ApiError(Kind.UNAVAILABLE, publicMessage);
    }

    /** The stores are out of reach. Clients key on {@code code} (docs/wire/README.md). */
    public static ApiError platformUnavailable() {
        return new ApiError(
                Kind.UNAVAILABLE,
                "platform datastore unavailable — retry shortly",
                Map.of("code", "platform_unavailable", "retry_after", 2));
    }

    public Kind kind() {
        return kind;
    }

    public String publicMessage() {
        return publicMessage;
    }

    public Map<String, Object> details() {
        return details;
    }
}
