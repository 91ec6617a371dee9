package ai.molecule.sdk;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;

/**
 * Keys that make the same task, delegated twice within the same minute, one delegation.
 *
 * <pre>{@code
 * String key = IdempotencyKeys.forTask("write the report", Instant.now());
 * }</pre>
 */
public final class IdempotencyKeys {

    private static final long ROUNDING_SECONDS = 60;

    private IdempotencyKeys() {}

    /** SHA-256 in hex of {@code <task>:<the minute's first second since 1970>}. */
    public static String forTask(String task, Instant now) {
        long minute = Math.floorDiv(now.getEpochSecond(), ROUNDING_SECONDS) * ROUNDING_SECONDS;
        return sha256(task + ":" + minute);
    }

    /** One delegation for the same task from the same source to the same target, whenever it is asked for: 32 hex digits. */
    public static String forDelegation(String sourceId, String targetId, String task) {
        return sha256(sourceId + ":" + targetId + ":" + task).substring(0, 32);
    }

    private static String sha256(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
