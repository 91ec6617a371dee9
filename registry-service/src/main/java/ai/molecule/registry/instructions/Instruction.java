package ai.molecule.registry.instructions;

import ai.molecule.common.ApiError;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A house rule.
 *
 * @param target the workspace it is for, alone or with all below it; null for all
 * @param words what it says
 */
record Instruction(
        UUID id, InstructionScope scope, @Nullable UUID target, Words words, Instant createdAt, Instant updatedAt) {

    /**
     * What may be changed of one.
     *
     * @param priority the higher, the earlier it is read among those of its scope
     */
    record Words(String title, String content, int priority, boolean enabled) {

        private static final int TITLE_MAX_CHARS = 200;
        private static final int CONTENT_MAX_CHARS = 8192;

        /** Fails with INVALID. */
        Words {
            if (title.isBlank() || content.isBlank()) {
                throw ApiError.invalid("scope, title, and content are required");
            }
            if (content.length() > CONTENT_MAX_CHARS) {
                throw ApiError.invalid("content exceeds %d chars".formatted(CONTENT_MAX_CHARS));
            }
            if (title.length() > TITLE_MAX_CHARS) {
                throw ApiError.invalid("title exceeds %d chars".formatted(TITLE_MAX_CHARS));
            }
            if (title.chars().anyMatch(Character::isISOControl)) {
                throw ApiError.invalid("title must be one line");
            }
        }
    }

    /** {@code {"id", "scope", "scope_target", "title", "content", "priority", "enabled", "created_at", "updated_at"}}. */
    ObjectNode toJson() {
        return Json.object()
                .put("id", id.toString())
                .put("scope", scope.wire())
                .put("scope_target", target == null ? null : target.toString())
                .put("title", words.title)
                .put("content", words.content)
                .put("priority", words.priority)
                .put("enabled", words.enabled)
                .put("created_at", Json.time(createdAt))
                .put("updated_at", Json.time(updatedAt));
    }
}
