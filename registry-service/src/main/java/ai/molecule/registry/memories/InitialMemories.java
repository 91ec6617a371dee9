package ai.molecule.registry.memories;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.CreateWorkspaces;
import ai.molecule.common.http.JsonBody;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** The {@code initial_memories} of a workspace to be created. */
public final class InitialMemories {

    private static final String FIELD = "initial_memories";
    private static final int MAX = 500;

    private InitialMemories() {}

    /**
     * Reads {@code "initial_memories": [{"content", "scope"?}]}; null and absent mean none, items to be skipped are left out. Fails
     * with INVALID for a wrong type and for more than 500.
     */
    public static List<NewMemory> of(JsonBody body, UUID workspaceId) {
        var sent = body.node(FIELD);
        if (sent == null) {
            return List.of();
        }
        if (!sent.isArray()) {
            throw body.bad();
        }
        checkCount(sent.size());
        return StreamSupport.stream(sent.spliterator(), false)
                .map(item -> item(item, workspaceId, body))
                .flatMap(Optional::stream)
                .toList();
    }

    /** The same of a workspace of a batch. */
    public static List<NewMemory> of(List<CreateWorkspaces.Memory> memories, UUID workspaceId) {
        checkCount(memories.size());
        return memories.stream()
                .map(memory -> NewMemory.seed(UUID.randomUUID(), workspaceId, memory.content(), memory.scope(), null))
                .flatMap(Optional::stream)
                .toList();
    }

    private static void checkCount(int count) {
        if (count > MAX) {
            throw ApiError.invalid("%s must hold at most %d items".formatted(FIELD, MAX));
        }
    }

    private static Optional<NewMemory> item(JsonNode item, UUID workspaceId, JsonBody body) {
        if (item.isNull()) {
            return Optional.empty();
        }
        if (!item.isObject()) {
            throw body.bad();
        }
        return NewMemory.seed(
                UUID.randomUUID(), workspaceId, text(item.get("content"), body), text(item.get("scope"), body), null);
    }

    private static @Nullable String text(@Nullable JsonNode node, JsonBody body) {
        if (node == null || node.isNull()) {
            return null;
        }
        if (!node.isTextual()) {
            throw body.bad();
        }
        return node.textValue();
    }
}
