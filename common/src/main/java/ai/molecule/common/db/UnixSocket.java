package ai.molecule.common.db;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A connected Unix socket as an ordinary one, with a time after which a read gives up ({@code setSoTimeout}), and a write of which nothing was taken
 * for as long. What only TCP has is taken and does nothing. One thread may read while another one writes.
 */
final class UnixSocket extends Socket {

    private static final int BUFFER_BYTES = 64 * 1024;

    /** Of a write where no time is set: a server may be busy with what it was sent before. */
    private static final Duration WRITE_MAX = Duration.ofMinutes(5);

    /** While a server has as many unaccepted connections as it may, connecting is tried again; the socket has no event for it. */
    private static final Duration CONNECT_PAUSE = Duration.ofMillis(20);

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

    /** @param patience how long a server may take to have room for one more connection; fails with SocketTimeoutException */
    static UnixSocket connect(UnixDomainSocketAddress address, Duration patience) throws IOException {
        var channel = connected(address, patience);
        try {
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

    /** Does not block: at a Unix socket a connection is made at once, or the system says that there is no room for it. */
    private static SocketChannel connected(UnixDomainSocketAddress address, Duration patience) throws IOException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (true) {
            var channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            try {
                channel.configureBlocking(false);
                channel.connect(address);
                return channel;
            } catch (ConnectException nobodyListens) {
                channel.close();
                throw nobodyListens;
            } catch (IOException noRoom) {
                channel.close();
                pauseUntil(deadline, address, noRoom);
            }
        }
    }

    /** The system's word for "no room" has no type of its own; of a socket that is not there nothing is awaited. */
    private static void pauseUntil(long deadline, UnixDomainSocketAddress address, IOException why) throws IOException {
        if (!Files.exists(address.getPath())) {
            throw why;
        }
        if (System.nanoTime() - deadline >= 0) {
            var late = new SocketTimeoutException("Connect timed out");
            late.initCause(why);
            throw late;
        }
        LockSupport.parkNanos(CONNECT_PAUSE.toNanos());
        if (Thread.currentThread().isInterrupted()) {
            throw new ClosedByInterruptException();
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
            int timeout = timeoutMillis;
            long patience = timeout == 0 ? WRITE_MAX.toNanos() : TimeUnit.MILLISECONDS.toNanos(timeout);
            long taken = System.nanoTime();
            while (buffer.hasRemaining()) {
                if (channel.write(buffer) > 0) {
                    taken = System.nanoTime();
                    continue;
                }
                long left = patience - (System.nanoTime() - taken);
                if (left <= 0) {
                    throw new SocketTimeoutException("Write timed out");
                }
                await(writable, Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)));
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
