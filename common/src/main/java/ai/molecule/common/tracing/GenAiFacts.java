package ai.molecule.common.tracing;

import ai.molecule.common.models.ModelUsage;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What spans say of calls of models, by the names of OpenTelemetry's semantic conventions for generative AI, version 1.37.0, which are not
 * stable yet: a later version changes this file alone. Neither prompts nor answers are in it.
 */
final class GenAiFacts {

    private static final AttributeKey<String> OPERATION = AttributeKey.stringKey("gen_ai.operation.name");
    private static final AttributeKey<String> PROVIDER = AttributeKey.stringKey("gen_ai.provider.name");
    private static final AttributeKey<String> MODEL = AttributeKey.stringKey("gen_ai.request.model");
    private static final AttributeKey<Long> TOKENS_IN = AttributeKey.longKey("gen_ai.usage.input_tokens");
    private static final AttributeKey<Long> TOKENS_OUT = AttributeKey.longKey("gen_ai.usage.output_tokens");
    private static final AttributeKey<String> ERROR = AttributeKey.stringKey("error.type");

    /** Where the conventions call a provider otherwise than the table does. */
    private static final Map<String, String> PROVIDERS = Map.of(
            "google", "gcp.gemini",
            "bedrock", "aws.bedrock",
            "azure-openai", "azure.ai.openai",
            "mistral", "mistral_ai");

    private GenAiFacts() {}

    /** {@code chat gpt-4o}. */
    static SpanBuilder asked(Tracer tracer, String operation, String provider, String model) {
        return tracer.spanBuilder(operation + " " + model)
                .setSpanKind(SpanKind.CLIENT)
                .setAttribute(OPERATION, operation)
                .setAttribute(PROVIDER, PROVIDERS.getOrDefault(provider, provider))
                .setAttribute(MODEL, model);
    }

    /** Tokens read from a cache and put into one are input too. */
    static void end(Span span, ModelUsage usage, @Nullable String error) {
        span.setAttribute(TOKENS_IN, usage.prompt()).setAttribute(TOKENS_OUT, usage.out());
        if (error != null) {
            span.setAttribute(ERROR, error).setStatus(StatusCode.ERROR);
        }
        span.end();
    }
}
