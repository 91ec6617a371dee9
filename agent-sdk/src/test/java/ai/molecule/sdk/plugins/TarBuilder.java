package ai.molecule.sdk.plugins;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;

/** Writes tar archives, good and bad ones. */
public final class TarBuilder {

    private static final int BLOCK = 512;

    private final ByteArrayOutputStream tar = new ByteArrayOutputStream();

    public TarBuilder file(String name, String content) {
        return entry(name, '0', 0644, content.getBytes(StandardCharsets.UTF_8));
    }

    public TarBuilder executable(String name, String content) {
        return entry(name, '0', 0755, content.getBytes(StandardCharsets.UTF_8));
    }

    public TarBuilder folder(String name) {
        return entry(name, '5', 0755, new byte[0]);
    }

    /** A link, device or anything else without content. */
    public TarBuilder special(String name, char type) {
        return entry(name, type, 0644, new byte[0]);
    }

    /** The same with content that belongs to no file. */
    public TarBuilder special(String name, char type, byte[] content) {
        return entry(name, type, 0644, content);
    }

    public TarBuilder pax(String record) {
        return entry("pax", 'x', 0644, record.getBytes(StandardCharsets.UTF_8));
    }

    public TarBuilder gnuLongName(String name) {
        return entry("././@LongLink", 'L', 0644, (name + "\0").getBytes(StandardCharsets.UTF_8));
    }

    /** A header that promises more than follows. */
    public TarBuilder headerOnly(String name, long size) {
        tar.writeBytes(header(name, '0', 0644, size));
        return this;
    }

    public TarBuilder raw(byte[] bytes) {
        tar.writeBytes(bytes);
        return this;
    }

    public byte[] gzipped() {
        var out = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(out)) {
            gzip.write(tar.toByteArray());
            gzip.write(new byte[2 * BLOCK]);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    private TarBuilder entry(String name, char type, int mode, byte[] content) {
        tar.writeBytes(header(name, type, mode, content.length));
        tar.writeBytes(content);
        tar.writeBytes(new byte[(BLOCK - content.length % BLOCK) % BLOCK]);
        return this;
    }

    private static byte[] header(String name, char type, int mode, long size) {
        byte[] header = new byte[BLOCK];
        put(header, 0, name);
        put(header, 100, "%07o".formatted(mode));
        put(header, 124, "%011o".formatted(size));
        put(header, 156, String.valueOf(type));
        put(header, 157, "elsewhere");
        put(header, 257, "ustar\00000");
        Arrays.fill(header, 148, 156, (byte) ' ');
        int sum = 0;
        for (byte one : header) {
            sum += one & 0xff;
        }
        put(header, 148, "%06o\0".formatted(sum));
        return header;
    }

    private static void put(byte[] header, int at, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        System.arraycopy(bytes, 0, header, at, bytes.length);
    }
}
