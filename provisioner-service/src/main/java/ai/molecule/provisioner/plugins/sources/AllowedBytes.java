package ai.molecule.provisioner.plugins.sources;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * Gives no more than was allowed since the last time it was asked: a name of a gigabyte is refused before it is in memory, and an
 * archive of nothing but headers too.
 */
final class AllowedBytes extends FilterInputStream {

    private long left;

    AllowedBytes(InputStream in) {
        super(in);
    }

    void allow(long bytes) {
        left = bytes;
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
            throw StagedFiles.unusable("it holds headers that are larger than anybody needs");
        }
    }
}
