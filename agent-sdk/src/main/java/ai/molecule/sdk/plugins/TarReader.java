package ai.molecule.sdk.plugins;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads a tar archive, entry by entry, in the ustar, GNU and pax forms. It believes nothing: header checksums are checked,
 * names and sizes are bounded, and a kind of entry that it does not know is an error.
 */
final class TarReader {

    enum Kind {
        FILE,
        FOLDER,
        LINK,
        DEVICE
    }

    /**
     * @param name as it stands in the archive
     * @param executable whether the owner may execute it
     */
    record Entry(String name, Kind kind, long size, boolean executable) {}

    private static final int BLOCK = 512;

    /** For a long name and for a pax header; paths are far shorter. */
    private static final int EXTENSION_MAX_BYTES = 64 * 1024;

    private final InputStream in;
    private long left;
    private int padding;

    TarReader(InputStream in) {
        this.in = in;
    }

    /** The next file, folder, link or device, after skipping what is left of the one before; empty at the end. */
    Optional<Entry> next() throws IOException {
        String longName = null;
        Long paxSize = null;
        while (true) {
            skipRest();
            byte[] header = new byte[BLOCK];
            int read = in.readNBytes(header, 0, BLOCK);
            if (read == 0 || isZero(header)) {
                return Optional.empty();
            }
            if (read < BLOCK) {
                throw new EOFException("the archive ends within a header");
            }
            checkSum(header);
            char type = (char) (header[156] & 0xff);
            long size = number(header, 124, 12);
            switch (type) {
                case 'L' -> longName = text(extension(size), 0, (int) size);
                case 'K', 'g' -> extension(size);
                case 'x' -> {
                    var pax = new PaxHeader(extension(size));
                    longName = pax.path() == null ? longName : pax.path();
                    paxSize = pax.size() == null ? paxSize : pax.size();
                }
                default -> {
                    Entry entry = entry(header, type, longName, paxSize == null ? size : paxSize);
                    begin(entry.kind() == Kind.FILE ? entry.size() : size);
                    return Optional.of(entry);
                }
            }
        }
    }

    /** Up to {@code buffer.length} bytes of the current file; -1 at its end. */
    int read(byte[] buffer) throws IOException {
        if (left == 0) {
            return -1;
        }
        int read = in.read(buffer, 0, (int) Math.min(buffer.length, left));
        if (read < 0) {
            throw new EOFException("the archive ends within a file");
        }
        left -= read;
        return read;
    }

    private static Entry entry(byte[] header, char type, @Nullable String longName, long size) throws IOException {
        String name = longName == null ? shortName(header) : longName;
        Kind kind =
                switch (type) {
                    case '0', '\0', '7' -> name.endsWith("/") ? Kind.FOLDER : Kind.FILE;
                    case '5' -> Kind.FOLDER;
                    case '1', '2' -> Kind.LINK;
                    case '3', '4', '6' -> Kind.DEVICE;
                    default -> throw new IOException("unknown kind of entry '" + type + "': " + name);
                };
        boolean executable = (number(header, 100, 8) & 0100) != 0;
        return new Entry(name, kind, size, executable);
    }

    private static String shortName(byte[] header) {
        String name = text(header, 0, 100);
        boolean ustar =
                text(header, 257, 5).equals("ustar") && header[262] == 0; // GNU keeps other things in the prefix
        String prefix = ustar ? text(header, 345, 155) : "";
        return prefix.isEmpty() ? name : prefix + "/" + name;
    }

    private byte[] extension(long size) throws IOException {
        if (size > EXTENSION_MAX_BYTES) {
            throw new IOException("a name or extended header of " + size + " bytes is too long");
        }
        byte[] bytes = in.readNBytes((int) size);
        if (bytes.length < size) {
            throw new EOFException("the archive ends within a header");
        }
        begin(size);
        left = 0;
        return bytes;
    }

    private void begin(long size) {
        left = size;
        padding = (int) ((BLOCK - size % BLOCK) % BLOCK);
    }

    private void skipRest() throws IOException {
        in.skipNBytes(left + padding);
        left = 0;
        padding = 0;
    }

    private static void checkSum(byte[] header) throws IOException {
        long sum = 0;
        for (int i = 0; i < BLOCK; i++) {
            sum += i >= 148 && i < 156 ? ' ' : header[i] & 0xff;
        }
        if (sum != number(header, 148, 8)) {
            throw new IOException("this is no tar archive, or it is damaged");
        }
    }

    /** Octal digits, ended by a NUL or blank. The binary form for 8 GiB and more is refused with everything else. */
    private static long number(byte[] header, int from, int length) throws IOException {
        String digits = text(header, from, length).strip();
        try {
            long value = digits.isEmpty() ? 0 : Long.parseLong(digits, 8);
            if (value >= 0) {
                return value;
            }
        } catch (NumberFormatException e) {
            // refused below
        }
        throw new IOException("a header holds no number where one belongs");
    }

    private static String text(byte[] bytes, int from, int length) {
        int end = from;
        while (end < from + length && bytes[end] != 0) {
            end++;
        }
        return new String(bytes, from, end - from, StandardCharsets.UTF_8);
    }

    private static boolean isZero(byte[] block) {
        for (byte one : block) {
            if (one != 0) {
                return false;
            }
        }
        return true;
    }
}
