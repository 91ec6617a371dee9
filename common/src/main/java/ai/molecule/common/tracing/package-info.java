/**
 * Traces: where a request went and how long each part took, sent to an OpenTelemetry collector. {@link
 * ai.molecule.common.tracing.Tracing} is what the rest of the code knows of it; only {@link
 * ai.molecule.common.tracing.SpanTracer} and what it calls know OpenTelemetry, and without a collector's address none of that is
 * loaded. What a span says is decided in {@link ai.molecule.common.tracing.Facts}, of calls of models in {@link
 * ai.molecule.common.tracing.GenAiFacts}, and is a closed list: spans leave the platform, so no URL, header, body, parameter or message of an exception may be in one.
 */
@NullMarked
package ai.molecule.common.tracing;

import org.jspecify.annotations.NullMarked;
