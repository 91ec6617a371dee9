package ai.molecule.proxy.models;

import ai.molecule.common.ApiError;
import ai.molecule.common.json.Json;
import ai.molecule.common.models.ModelProtocol;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.buffer.Buffer;
import java.util.Locale;

/** Errors of the door as the client libraries of each protocol read them, alone and at the end of a stream. */
final class ModelErrors {

    private ModelErrors() {}

    static Buffer body(ModelProtocol protocol, ApiError error) {
        return Json.buffer(
                switch (protocol) {
                    case OPENAI -> openai(error);
                    case ANTHROPIC -> anthropic(error);
                    case GOOGLE -> google(error);
                });
    }

    /** What ends a stream of events after a whole event. */
    static Buffer lastEvent(ModelOperation operation, ApiError error) {
        return switch (operation.protocol()) {
            case OPENAI ->
                operation == ModelOperation.RESPONSES
                        ? event("error", responses(error))
                        : Buffer.buffer("data: " + Json.text(openai(error)) + "\n\ndata: [DONE]\n\n");
            case ANTHROPIC -> event("error", anthropic(error));
            case GOOGLE -> Buffer.buffer("data: " + Json.text(google(error)) + "\r\n\r\n");
        };
    }

    private static Buffer event(String name, ObjectNode data) {
        return Buffer.buffer("event: " + name + "\ndata: " + Json.text(data) + "\n\n");
    }

    private static ObjectNode openai(ApiError error) {
        var body = Json.object();
        body.putObject("error")
                .put("message", error.publicMessage())
                .put("type", openaiType(error.kind()))
                .putNull("param")
                .put("code", code(error));
        return body;
    }

    private static ObjectNode responses(ApiError error) {
        return Json.object()
                .put("type", "error")
                .put("code", code(error))
                .put("message", error.publicMessage())
                .putNull("param");
    }

    private static ObjectNode anthropic(ApiError error) {
        var body = Json.object().put("type", "error");
        body.putObject("error").put("type", anthropicType(error.kind())).put("message", error.publicMessage());
        return body;
    }

    private static ObjectNode google(ApiError error) {
        var body = Json.object();
        body.putObject("error")
                .put("code", error.kind().status())
                .put("message", error.publicMessage())
                .put("status", googleStatus(error.kind()));
        return body;
    }

    /** A detail {@code code} where the refusal has one, else its kind. */
    private static String code(ApiError error) {
        return error.details().get("code") instanceof String code
                ? code
                : error.kind().name().toLowerCase(Locale.ROOT);
    }

    private static String openaiType(ApiError.Kind kind) {
        return switch (kind) {
            case UNAUTHENTICATED -> "authentication_error";
            case BUDGET_EXCEEDED -> "insufficient_quota";
            case FORBIDDEN -> "permission_error";
            case RATE_LIMITED -> "rate_limit_error";
            case INTERNAL, BAD_GATEWAY, UNAVAILABLE, TIMED_OUT -> "server_error";
            default -> "invalid_request_error";
        };
    }

    private static String anthropicType(ApiError.Kind kind) {
        return switch (kind) {
            case UNAUTHENTICATED -> "authentication_error";
            case BUDGET_EXCEEDED -> "billing_error";
            case FORBIDDEN -> "permission_error";
            case NOT_FOUND -> "not_found_error";
            case TOO_LARGE -> "request_too_large";
            case RATE_LIMITED -> "rate_limit_error";
            case UNAVAILABLE -> "overloaded_error";
            case TIMED_OUT -> "timeout_error";
            case INTERNAL, BAD_GATEWAY -> "api_error";
            default -> "invalid_request_error";
        };
    }

    private static String googleStatus(ApiError.Kind kind) {
        return switch (kind) {
            case UNAUTHENTICATED -> "UNAUTHENTICATED";
            case BUDGET_EXCEEDED, RATE_LIMITED -> "RESOURCE_EXHAUSTED";
            case FORBIDDEN -> "PERMISSION_DENIED";
            case NOT_FOUND -> "NOT_FOUND";
            case TIMED_OUT -> "DEADLINE_EXCEEDED";
            case UNAVAILABLE, BAD_GATEWAY -> "UNAVAILABLE";
            case INTERNAL -> "INTERNAL";
            default -> "INVALID_ARGUMENT";
        };
    }
}
