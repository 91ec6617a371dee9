package ai.molecule.common.models;

/**
 * Tokens of one call, the same whatever the protocol counts together.
 *
 * @param in read, without those of the next two
 * @param cacheRead read from a cache
 * @param cacheWrite read and put into a cache
 * @param cacheWriteHour the part of {@code cacheWrite} that is kept for an hour, which one provider sells apart
 * @param out written, with those of reasoning
 * @param reasoning the part of {@code out} that nobody sees
 */
public record ModelUsage(long in, long cacheRead, long cacheWrite, long cacheWriteHour, long out, long reasoning) {

    public static final ModelUsage NONE = new ModelUsage(0, 0, 0, 0, 0, 0);

    public static ModelUsage of(long in, long out) {
        return new ModelUsage(in, 0, 0, 0, out, 0);
    }

    /** All that was read, caches included. */
    public long prompt() {
        return in + cacheRead + cacheWrite;
    }
}
