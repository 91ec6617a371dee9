package ai.molecule.registry.quotas;

import ai.molecule.common.ApiError;

/**
 * How much of one kind a workspace may keep.
 *
 * @param noun what it is, many of them
 * @param bytesMax of their content
 */
public record Quota(String noun, long rowsMax, long bytesMax) {

    /** Once it would be exceeded. */
    public ApiError exceeded() {
        return new ApiError(
                ApiError.Kind.INSUFFICIENT_STORAGE,
                "a workspace keeps at most %d %s and %d bytes of them: delete some first"
                        .formatted(rowsMax, noun, bytesMax));
    }
}
