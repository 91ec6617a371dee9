package ai.molecule.registry.memories;

import ai.molecule.common.activity.ActivityRow;
import ai.molecule.common.json.Json;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.UUID;

/** What is on record of a GLOBAL memory that was written: a row of activity, which outlives the memory. */
final class GlobalWrite {

    private GlobalWrite() {}

    static ActivityRow of(UUID workspaceId, NewMemory memory, Instant now) {
        var body = Json.object()
                .put("memory_id", memory.id().toString())
                .put("namespace", memory.namespace())
                .put("content_sha256", sha256(memory.content()));
        return new ActivityRow(
                UUID.randomUUID(),
                workspaceId,
                "memory_write_global",
                workspaceId,
                null,
                null,
                "GLOBAL memory written: id=%s namespace=%s".formatted(memory.id(), memory.namespace()),
                Json.text(body),
                null,
                null,
                null,
                "ok",
                null,
                null,
                null,
                now,
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
