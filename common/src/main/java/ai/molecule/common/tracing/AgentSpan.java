package ai.molecule.common.tracing;

import java.util.Map;
import java.util.UUID;

/**
 * What an agent says that it did within a trace, checked.
 *
 * @param traceId 32 hexadecimal digits, not all zero
 * @param spanId 16, not all zero
 * @param parentId 16; empty for none
 * @param client whether it asked somebody else for it
 * @param startNanos since 1970, not after {@code endNanos}
 * @param facts texts, and numbers as {@link Long}
 */
public record AgentSpan(
        UUID workspaceId,
        String traceId,
        String spanId,
        String parentId,
        String name,
        boolean client,
        long startNanos,
        long endNanos,
        boolean failed,
        Map<String, Object> facts) {

    public AgentSpan {
        facts = Map.copyOf(facts);
    }
}
