package ai.molecule.sdk.plugins;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Ends a decompression that yields more than an archive within its limits can hold: a bomb of padding and headers, too. */
final class LimitedStream extends FilterInputStream {

    /** Headers and padding of one entry: a long name, a pax header, the header itself, and the block it does not fill. */
    private static final int OVERHEAD_PER_ENTRY = 8 * 1024;

    private long left;

    LimitedStream(InputStream in, ArchiveLimits limits) {
        super(in);
        this.left = limits.totalBytes() + (long) limits.entries() * OVERHEAD_PER_ENTRY;
    }

    @Override
    public int read() throws IOException {
        int one = super.read();
        count(one < 0 ? 0 : 1);
        return one;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        int read = super.read(buffer, offset, length);
        count(Math.max(0, read));
        return read;
    }

    @Override
    public long skip(long bytes) throws IOException {
        long skipped = super.skip(bytes);
        count(skipped);
        return skipped;
    }

    private void count(long bytes) {
        left -= bytes;
        if (left < 0) {
            throw new PluginException("the archive unpacks to more than it may");
        }
    }
}
