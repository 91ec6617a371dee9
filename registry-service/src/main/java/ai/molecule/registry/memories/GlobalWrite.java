package ai.molecule.registry.memories;

import ai.molecule.common.bus.events.AppendActivity;
import ai.molecule.common.json.Json;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.UUID;

/**
 * That a GLOBAL memory was written, for the record; the record outlives the memory.
 *
 * @param id also of the activity row, so that delivering it again adds none
 */
record GlobalWrite(
        UUID id, UUID workspaceId, UUID memoryId, String namespace, String contentSha256, Instant writtenAt) {

    static GlobalWrite of(UUID id, UUID workspaceId, NewMemory memory, Instant now) {
        return new GlobalWrite(id, workspaceId, memory.id(), memory.namespace(), sha256(memory.content()), now);
    }

    AppendActivity.Row toActivity() {
        var body = Json.object()
                .put("memory_id", memoryId.toString())
                .put("namespace", namespace)
                .put("content_sha256", contentSha256);
        return new AppendActivity.Row(
                id,
                workspaceId,
                "memory_write_global",
                workspaceId,
                null,
                null,
                "GLOBAL memory written: id=%s namespace=%s".formatted(memoryId, namespace),
                Json.text(body),
                null,
                null,
                null,
                "ok",
                null,
                null,
                writtenAt,
                false);
    }

    private static String sha256(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
