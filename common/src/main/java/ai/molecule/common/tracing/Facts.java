package ai.molecule.common.tracing;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.spi.observability.HttpRequest;
import io.vertx.core.spi.observability.HttpResponse;
import io.vertx.core.spi.tracing.TagExtractor;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What spans say, by OpenTelemetry's names. A closed list: paths hold ids and names, URLs hold tickets and tokens, what an
 * exception says may quote values, so none of these is in it. The text of a query has placeholders for its values.
 */
final class Facts {

    static final AttributeKey<String> ROUTE = AttributeKey.stringKey("http.route");

    private static final AttributeKey<String> METHOD = AttributeKey.stringKey("http.request.method");
    private static final AttributeKey<Long> STATUS = AttributeKey.longKey("http.response.status_code");
    private static final AttributeKey<String> ADDRESS = AttributeKey.stringKey("server.address");
    private static final AttributeKey<Long> PORT = AttributeKey.longKey("server.port");
    private static final AttributeKey<String> DESTINATION = AttributeKey.stringKey("messaging.destination.name");
    private static final AttributeKey<String> ERROR = AttributeKey.stringKey("error.type");

    /** As Vert.x calls what it tells of a statement, and as it is sent. */
    private static final Map<String, String> OF_STORES = Map.of(
            "db.system", "db.system.name",
            "db.namespace", "db.namespace",
            "db.operation.name", "db.operation.name",
            "db.query.text", "db.query.text");

    private static final int SERVERS_FAULT = 500;
    private static final int CALLERS_FAULT = 400;

    private Facts() {}

    static <R> SpanBuilder served(Tracer tracer, R request, String operation, TagExtractor<R> tags) {
        return told(tracer, request, operation, tags).setSpanKind(SpanKind.SERVER);
    }

    static <R> SpanBuilder asked(Tracer tracer, R request, String operation, TagExtractor<R> tags) {
        return told(tracer, request, operation, tags).setSpanKind(SpanKind.CLIENT);
    }

    private static <R> SpanBuilder told(Tracer tracer, R request, String operation, TagExtractor<R> tags) {
        return switch (request) {
            case HttpServerRequest http -> {
                String method = knownMethod(http.method().name());
                var span = tracer.spanBuilder(method).setAttribute(METHOD, method);
                var local = http.localAddress();
                yield local == null ? span : span.setAttribute(PORT, (long) local.port());
            }
            case HttpRequest http -> {
                var span = tracer.spanBuilder(operation)
                        .setAttribute(METHOD, knownMethod(http.method().name()));
                var server = http.remoteAddress();
                yield server == null || server.host() == null
                        ? span
                        : span.setAttribute(ADDRESS, server.host()).setAttribute(PORT, (long) server.port());
            }
            case Message<?> message ->
                tracer.spanBuilder(message.address()).setAttribute(DESTINATION, message.address());
            default -> ofStore(tracer, request, operation, tags);
        };
    }

    private static <R> SpanBuilder ofStore(Tracer tracer, R request, String operation, TagExtractor<R> tags) {
        var attributes = Attributes.builder();
        String system = "";
        String what = operation;
        for (int i = 0; i < tags.len(request); i++) {
            String name = tags.name(request, i);
            @Nullable String value = tags.value(request, i);
            @Nullable String sent = OF_STORES.get(name);
            if (value == null || sent == null) {
                continue;
            }
            attributes.put(sent, inOneLine(value));
            switch (name) {
                case "db.system" -> system = value;
                case "db.operation.name" -> what = value;
                case "db.query.text" -> what = firstWord(value);
                default -> {}
            }
        }
        return tracer.spanBuilder((system + " " + what).strip()).setAllAttributes(attributes.build());
    }

    private static String inOneLine(String query) {
        return query.strip().replaceAll("\\s+", " ");
    }

    private static String firstWord(String query) {
        return query.strip().split("\\s", 2)[0];
    }

    /** @param served whether others asked us, not we them */
    static void end(Span span, @Nullable Object response, @Nullable Throwable failure, boolean served) {
        int status =
                switch (response) {
                    case HttpServerResponse http -> http.getStatusCode();
                    case HttpResponse http -> http.statusCode();
                    case null, default -> 0;
                };
        if (status != 0) {
            span.setAttribute(STATUS, (long) status);
        }
        if (failure != null) {
            failed(span, failure);
        } else if (status >= (served ? SERVERS_FAULT : CALLERS_FAULT)) {
            span.setAttribute(ERROR, String.valueOf(status)).setStatus(StatusCode.ERROR);
        }
    }

    /** A call that was refused for the caller's own fault is not marked as an error, as with HTTP; only its kind is told. */
    private static void failed(Span span, Throwable failure) {
        if (failure instanceof ReplyException refused && refused.failureType() == ReplyFailure.RECIPIENT_FAILURE) {
            span.setAttribute(ERROR, String.valueOf(refused.failureCode()));
            if (refused.failureCode() < SERVERS_FAULT) {
                return;
            }
        } else if (failure instanceof ReplyException unanswered) {
            span.setAttribute(ERROR, unanswered.failureType().name());
        } else {
            span.setAttribute(ERROR, failure.getClass().getSimpleName());
        }
        span.setStatus(StatusCode.ERROR);
    }

    private static String knownMethod(String method) {
        return switch (method) {
            case "GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD" -> method;
            default -> "OTHER";
        };
    }
}
