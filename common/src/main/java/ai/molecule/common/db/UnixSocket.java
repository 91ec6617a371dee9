package ai.molecule.common.db;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;

/**
 * A connected Unix socket as an ordinary one, with a time after which a read gives up ({@code setSoTimeout}). What only TCP has is taken and does
 * nothing. One thread may read while another one writes.
 */
final class UnixSocket extends Socket {

    private static final int BUFFER_BYTES = 64 * 1024;

    private final SocketChannel channel;
    private final Selector readable;
    private final Selector writable;
    private final InputStream in = new Incoming();
    private final OutputStream out = new Outgoing();
    private volatile int timeoutMillis;

    private UnixSocket(SocketChannel channel, Selector readable, Selector writable) {
        this.channel = channel;
        this.readable = readable;
        this.writable = writable;
    }

    static UnixSocket connect(UnixDomainSocketAddress address) throws IOException {
        var channel = SocketChannel.open(address);
        try {
            channel.configureBlocking(false);
            var readable = Selector.open();
            var writable = Selector.open();
            channel.register(readable, SelectionKey.OP_READ);
            channel.register(writable, SelectionKey.OP_WRITE);
            return new UnixSocket(channel, readable, writable);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    private final class Incoming extends InputStream {

        @Override
        public int read() throws IOException {
            var one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            if (length == 0) {
                return 0;
            }
            var buffer = ByteBuffer.wrap(bytes, offset, length);
            int timeout = timeoutMillis;
            long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeout);
            while (true) {
                int read = channel.read(buffer);
                if (read != 0) {
                    return read;
                }
                long left = deadline - System.nanoTime();
                if (timeout > 0 && left <= 0) {
                    throw new SocketTimeoutException("Read timed out");
                }
                await(readable, timeout == 0 ? 0 : Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)));
            }
        }
    }

    private final class Outgoing extends OutputStream {

        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            var buffer = ByteBuffer.wrap(bytes, offset, length);
            while (buffer.hasRemaining()) {
                if (channel.write(buffer) == 0) {
                    await(writable, 0);
                }
            }
        }
    }

    /** @param millis 0 for as long as it takes */
    private static void await(Selector selector, long millis) throws IOException {
        selector.select(millis);
        selector.selectedKeys().clear();
        if (Thread.currentThread().isInterrupted()) { // else it would go round without a pause
            throw new ClosedByInterruptException();
        }
    }

    @Override
    public InputStream getInputStream() {
        return in;
    }

    @Override
    public OutputStream getOutputStream() {
        return out;
    }

    @Override
    public void close() throws IOException {
        try (readable;
                writable) {
            channel.close();
        }
    }

    @Override
    public boolean isClosed() {
        return !channel.isOpen();
    }

    @Override
    public boolean isConnected() {
        return true;
    }

    @Override
    public boolean isBound() {
        return true;
    }

    @Override
    public void connect(SocketAddress endpoint, int timeout) {
        throw new IllegalStateException("it is connected");
    }

    @Override
    public void shutdownInput() throws IOException {
        channel.shutdownInput();
    }

    @Override
    public void shutdownOutput() throws IOException {
        channel.shutdownOutput();
    }

    @Override
    public void setSoTimeout(int timeout) {
        timeoutMillis = timeout;
    }

    @Override
    public int getSoTimeout() {
        return timeoutMillis;
    }

    @Override
    public void setTcpNoDelay(boolean on) {}

    @Override
    public boolean getTcpNoDelay() {
        return true;
    }

    @Override
    public void setKeepAlive(boolean on) {}

    @Override
    public boolean getKeepAlive() {
        return false;
    }

    @Override
    public void setSendBufferSize(int size) {}

    @Override
    public int getSendBufferSize() {
        return BUFFER_BYTES;
    }

    @Override
    public void setReceiveBufferSize(int size) {}

    @Override
    public int getReceiveBufferSize() {
        return BUFFER_BYTES;
    }

    @Override
    public String toString() {
        return "UnixSocket";
    }
}
