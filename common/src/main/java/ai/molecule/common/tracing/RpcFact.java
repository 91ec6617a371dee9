package ai.molecule.common.tracing;

import io.opentelemetry.api.common.AttributeKey;
import java.util.regex.Pattern;

/**
 * What the span of a request says of the A2A or MCP that it carries, by the names of OpenTelemetry's conventions for these: both are of those for generative
 * AI, 0.1.0 in their own repository, and not stable. Ids and names alone; nothing of what is said.
 */
public enum RpcFact {
    /** As 1.0 calls it, whichever version was spoken. */
    A2A_METHOD("a2a.method.name"),
    A2A_VERSION("a2a.protocol.version"),
    A2A_MESSAGE("a2a.message.id"),
    A2A_TASK("a2a.task.id"),
    /** The {@code contextId}. */
    CONVERSATION("gen_ai.conversation.id"),
    MCP_METHOD("mcp.method.name"),
    MCP_VERSION("mcp.protocol.version"),
    OPERATION("gen_ai.operation.name"),
    TOOL("gen_ai.tool.name"),
    /** Under which it was asked; on whose behalf that is nobody tells those who collect traces. */
    PASSPORT("molecule.passport.id"),
    ERROR("error.type");

    private static final Pattern TOLD = Pattern.compile("[\\x21-\\x7e]{1,128}");

    final AttributeKey<String> key;

    RpcFact(String name) {
        this.key = AttributeKey.stringKey(name);
    }

    /** What a caller made up may be anything. */
    static boolean mayBeTold(String value) {
        return TOLD.matcher(value).matches();
    }
}
