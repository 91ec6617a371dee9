package ai.molecule.registry.memories;

import ai.molecule.common.ApiError;
import ai.molecule.common.http.JsonBody;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A memory to be stored: checked, redacted, and, when GLOBAL, unable to imitate the frame it is shown in.
 *
 * @param namespace at most 50 characters
 */
public record NewMemory(UUID id, MemoryScope scope, String namespace, String content) {

    /** The most a content may hold as it is sent; what redaction makes longer is stored whole. */
    static final int CONTENT_MAX_BYTES = 100_000;

    private static final int NAMESPACE_MAX = 50;
    private static final String NAMESPACE_DEFAULT = "general";

    /** Reads {@code {"content", "scope", "namespace"?}}; fails with INVALID and the contract's texts. */
    static NewMemory of(JsonBody body, UUID id) {
        String content = body.requiredText("content");
        var scope = MemoryScope.find(body.requiredText("scope"))
                .orElseThrow(() -> ApiError.invalid("scope must be LOCAL, TEAM, or GLOBAL"));
        String namespace = body.text("namespace", "");
        if (tooLongForNamespace(namespace)) {
            throw ApiError.invalid("namespace must be <= %d characters".formatted(NAMESPACE_MAX));
        }
        if (content.getBytes(StandardCharsets.UTF_8).length > CONTENT_MAX_BYTES) {
            throw ApiError.invalid("content must be <= %d bytes".formatted(CONTENT_MAX_BYTES));
        }
        return framed(id, scope, namespace.isEmpty() ? NAMESPACE_DEFAULT : namespace, Redaction.of(content));
    }

    /**
     * A memory somebody gives a workspace to start with: the scope in any case, LOCAL when missing, the content cut at 100000 bytes,
     * the namespace {@code workspace:<id>} when missing. Empty for one to be skipped: without content, of another scope, with a
     * namespace too long or a NUL.
     */
    static Optional<NewMemory> seed(
            UUID id, UUID workspaceId, @Nullable String content, @Nullable String scope, @Nullable String namespace) {
        String wanted = scope == null || scope.isEmpty() ? "LOCAL" : scope.toUpperCase(Locale.ROOT);
        String space = namespace == null || namespace.isEmpty() ? "workspace:" + workspaceId : namespace;
        if (content == null
                || content.isEmpty()
                || tooLongForNamespace(space)
                || content.indexOf('\0') >= 0
                || space.indexOf('\0') >= 0) {
            return Optional.empty();
        }
        return MemoryScope.find(wanted).map(known -> framed(id, known, space, cut(Redaction.of(content))));
    }

    private static NewMemory framed(UUID id, MemoryScope scope, String namespace, String redacted) {
        boolean shownFramed = scope == MemoryScope.GLOBAL;
        return new NewMemory(id, scope, namespace, shownFramed ? redacted.replace("[MEMORY ", "[_MEMORY ") : redacted);
    }

    private static boolean tooLongForNamespace(String namespace) {
        return namespace.codePointCount(0, namespace.length()) > NAMESPACE_MAX;
    }

    /** To be redacted before: half a secret would no longer be recognised. */
    private static String cut(String redacted) {
        var bytes = redacted.getBytes(StandardCharsets.UTF_8);
        int end = Math.min(bytes.length, CONTENT_MAX_BYTES);
        while (end < bytes.length && (bytes[end] & 0xC0) == 0x80) {
            end--; // never within a character
        }
        return new String(bytes, 0, end, StandardCharsets.UTF_8);
    }
}
