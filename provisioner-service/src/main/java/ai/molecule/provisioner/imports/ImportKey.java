package ai.molecule.provisioner.imports;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Tokens;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What tells an import that is asked for again from another one: whoever got no answer asks again with the same key, and is told
 * what became of it.
 *
 * @param key the header {@code Idempotency-Key}
 * @param digest of what was asked, so that a key is not used for two things
 */
public record ImportKey(String key, String digest) {

    private static final int MAX = 128;

    /**
     * @param header null or empty for none
     * @throws ApiError INVALID unless it has at most 128 visible ASCII characters
     */
    public static Optional<ImportKey> of(@Nullable String header, String asked) {
        if (header == null || header.isEmpty()) {
            return Optional.empty();
        }
        if (header.length() > MAX || !header.chars().allMatch(sign -> sign > ' ' && sign < 127)) {
            throw ApiError.invalid("Idempotency-Key must have at most %d visible ASCII characters".formatted(MAX));
        }
        return Optional.of(new ImportKey(header, HexFormat.of().formatHex(Tokens.hash(asked))));
    }

    /** What whoever asks again with the key is told, as JSON text. */
    public record Receipt(ImportKey key, String answer) {}

    /** What is known of an import with a key. */
    record Known(String digest, boolean ended, String answer) {}

    /**
     * The answer of the import that had this key.
     *
     * @throws ApiError UNPROCESSABLE when the key was used for something else, CONFLICT while the import goes on
     */
    String answerOf(Known known) {
        if (!known.digest().equals(digest)) {
            throw new ApiError(
                    ApiError.Kind.UNPROCESSABLE,
                    "this Idempotency-Key was used for another import in the last 24 hours");
        }
        if (!known.ended()) {
            throw underWay();
        }
        return known.answer();
    }

    static ApiError underWay() {
        return new ApiError(
                ApiError.Kind.CONFLICT,
                "this import is under way — ask again with the same Idempotency-Key",
                Map.of("code", "import_under_way", "retry_after", 2));
    }
}
