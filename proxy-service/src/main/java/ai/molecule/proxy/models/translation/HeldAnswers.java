package ai.molecule.proxy.models.translation;

import ai.molecule.common.ApiError;

/**
 * How much of answers is kept because it cannot be translated piece by piece: of one, and of all together. To be used on one event loop.
 */
public final class HeldAnswers {

    private final long oneMaxBytes;
    private final long allMaxBytes;
    private long bytes;

    public HeldAnswers(long oneMaxBytes, long allMaxBytes) {
        this.oneMaxBytes = oneMaxBytes;
        this.allMaxBytes = allMaxBytes;
    }

    /** Of all. */
    public long bytes() {
        return bytes;
    }

    /**
     * Throws BAD_GATEWAY for one that is too long, UNAVAILABLE when there are too many.
     *
     * @param now what one keeps
     * @param before what it kept before
     */
    void change(long before, long now) {
        if (now > oneMaxBytes) {
            throw NotTranslated.answer(
                    "wrote more than the %d bytes that are translated: ask for less".formatted(oneMaxBytes));
        }
        if (now > before && bytes + now - before > allMaxBytes) {
            throw ApiError.unavailable("too many long answers are being translated: ask for a stream, or try again");
        }
        bytes += now - before;
    }

    void release(long held) {
        bytes -= held;
    }
}
