package ai.molecule.proxy.streams;

import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * The position of an event, as its {@code id:} says it: {@code <epoch>-<n>}. The epoch is the stream and how many owners it has
 * had, so that positions which an owner gave away and took to its grave are not taken for those of the next.
 *
 * @param n from 1; 0 is before the first event
 */
record Cursor(UUID stream, int epoch, int n) {

    private static final Pattern TEXT = Pattern.compile("([0-9a-f]{32})\\.([1-9][0-9]{0,5})-([0-9]{1,9})");

    static Optional<Cursor> parse(String text) {
        var matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        String hex = matcher.group(1);
        var stream = new UUID(
                Long.parseUnsignedLong(hex.substring(0, 16), 16), Long.parseUnsignedLong(hex.substring(16), 16));
        return Optional.of(new Cursor(stream, Integer.parseInt(matcher.group(2)), Integer.parseInt(matcher.group(3))));
    }

    /** Whether the stream began within the last minute, as its id says (RFC 9562, version 7). */
    boolean isYoung() {
        long bornMillis = stream.getMostSignificantBits() >>> 16;
        return Math.abs(System.currentTimeMillis() - bornMillis) < 60_000;
    }

    String text() {
        return "%016x%016x.%d-%d"
                .formatted(stream.getMostSignificantBits(), stream.getLeastSignificantBits(), epoch, n);
    }
}
