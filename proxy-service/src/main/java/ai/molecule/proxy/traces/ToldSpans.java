package ai.molecule.proxy.traces;

import ai.molecule.common.ApiError;
import ai.molecule.common.tracing.AgentSpan;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * The spans of an export request, as far as they are what an agent may tell: of {@link #FACTS} alone, and bounded. Who did it is said by
 * the token, whatever the request says.
 *
 * @param refused how many were left out
 */
record ToldSpans(List<AgentSpan> spans, int refused) {

    static final int SPANS_MAX = 200;
    static final String COMPLAINT = "body must be an export request of OpenTelemetry's, as JSON";
    static final String WANTED =
            "a span wants traceId, spanId, a name of 100 characters and times of the last day; there may be "
                    + SPANS_MAX + " in one request";

    /** By OpenTelemetry's conventions for generative AI. Nothing in which a prompt, an answer or an argument would stand. */
    private static final Set<String> FACTS = Set.of(
            "gen_ai.operation.name",
            "gen_ai.tool.name",
            "gen_ai.provider.name",
            "gen_ai.request.model",
            "gen_ai.usage.input_tokens",
            "gen_ai.usage.output_tokens",
            "error.type");

    private static final int NAME_MAX_CHARS = 100;
    private static final int CLIENT = 3;
    private static final int ERROR = 2;
    private static final long DAY_NANOS = 24L * 3600 * 1_000_000_000;
    private static final Pattern TRACE = Pattern.compile("(?!0{32})[0-9a-f]{32}");
    private static final Pattern SPAN = Pattern.compile("(?!0{16})[0-9a-f]{16}");
    private static final Pattern PARENT = Pattern.compile("|[0-9a-f]{16}");

    ToldSpans {
        spans = List.copyOf(spans);
    }

    static ToldSpans of(JsonNode request, UUID workspace) {
        if (!request.path("resourceSpans").isArray()) {
            throw ApiError.invalid(COMPLAINT);
        }
        List<AgentSpan> spans = new ArrayList<>();
        int told = 0;
        for (JsonNode resource : request.path("resourceSpans")) {
            for (JsonNode scope : resource.path("scopeSpans")) {
                for (JsonNode span : scope.path("spans")) {
                    told++;
                    if (spans.size() < SPANS_MAX) {
                        span(span, workspace).ifPresent(spans::add);
                    }
                }
            }
        }
        return new ToldSpans(spans, told - spans.size());
    }

    private static Optional<AgentSpan> span(JsonNode told, UUID workspace) {
        String trace = told.path("traceId").asText();
        String span = told.path("spanId").asText();
        String parent = told.path("parentSpanId").asText();
        String name = told.path("name").asText();
        long start = nanos(told.path("startTimeUnixNano"));
        long end = nanos(told.path("endTimeUnixNano"));
        boolean named = !name.isBlank() && name.length() <= NAME_MAX_CHARS;
        boolean known = TRACE.matcher(trace).matches()
                && SPAN.matcher(span).matches()
                && PARENT.matcher(parent).matches();
        long now = System.currentTimeMillis() * 1_000_000;
        boolean recent = start > now - DAY_NANOS && end < now + DAY_NANOS && start <= end;
        if (!named || !known || !recent) {
            return Optional.empty();
        }
        return Optional.of(new AgentSpan(
                workspace,
                trace,
                span,
                parent,
                name,
                told.path("kind").asInt() == CLIENT,
                start,
                end,
                told.at("/status/code").asInt() == ERROR,
                facts(told.path("attributes"))));
    }

    private static Map<String, Object> facts(JsonNode attributes) {
        Map<String, Object> facts = new HashMap<>();
        for (JsonNode each : attributes) {
            String name = each.path("key").asText();
            JsonNode number = each.path("value").path("intValue");
            JsonNode text = each.path("value").path("stringValue");
            if (FACTS.contains(name) && !number.isMissingNode()) {
                facts.put(name, number.asLong());
            } else if (FACTS.contains(name)
                    && text.isTextual()
                    && text.textValue().length() <= NAME_MAX_CHARS) {
                facts.put(name, text.textValue());
            }
        }
        return facts;
    }

    /** A number of 64 bits, which is a text; -1 for what is none. */
    private static long nanos(JsonNode told) {
        try {
            return Long.parseLong(told.asText());
        } catch (NumberFormatException none) {
            return -1;
        }
    }
}
