package ai.molecule.sdk.plugins;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** An extended tar header: records of {@code <length> <key>=<value>\n}, the length counting itself. Of the keys two matter. */
final class PaxHeader {

    private @Nullable String path;
    private @Nullable Long size;

    PaxHeader(byte[] records) throws IOException {
        int at = 0;
        while (at < records.length && records[at] != 0) {
            at = read(records, at);
        }
    }

    @Nullable
    String path() {
        return path;
    }

    @Nullable
    Long size() {
        return size;
    }

    private int read(byte[] records, int from) throws IOException {
        int blank = from;
        while (blank < records.length && records[blank] != ' ') {
            blank++;
        }
        long length = number(records, from, blank);
        int end = length > records.length - from ? Integer.MAX_VALUE : from + (int) length;
        if (end > records.length || end <= blank + 1 || records[end - 1] != '\n') {
            throw malformed();
        }
        String record = new String(records, blank + 1, end - blank - 2, StandardCharsets.UTF_8);
        int equals = record.indexOf('=');
        if (equals < 0) {
            throw malformed();
        }
        String value = record.substring(equals + 1);
        switch (record.substring(0, equals)) {
            case "path" -> path = value;
            case "size" -> {
                byte[] digits = value.getBytes(StandardCharsets.UTF_8);
                size = number(digits, 0, digits.length);
            }
            default -> {
                // times, owners and the like
            }
        }
        return end;
    }

    private static long number(byte[] bytes, int from, int to) throws IOException {
        try {
            long value = Long.parseLong(new String(bytes, from, to - from, StandardCharsets.US_ASCII));
            if (value >= 0) {
                return value;
            }
        } catch (NumberFormatException e) {
            // refused below
        }
        throw malformed();
    }

    private static IOException malformed() {
        return new IOException("an extended header is malformed");
    }
}
