import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;

/**
 * Thousands of WebSocket clients on one thread: they count what they get, look into it only when asked to, and answer pings. Every
 * message of a server that speaks to a canvas fits this: unmasked, and of interest only from its beginning to its end.
 */
class Sockets implements AutoCloseable {

    /** Told of every message. The bytes are those between the two indexes. */
    interface Listener {
        void message(int client, byte[] bytes, int from, int to);
    }

    static final int AT_ONCE = 512;
    static final byte[] PONG = {(byte) 0x8a, (byte) 0x80, 0, 0, 0, 0};

    final AtomicInteger open = new AtomicInteger();
    final AtomicInteger lost = new AtomicInteger();
    private final Selector selector;
    private final Thread thread;
    private final Semaphore connecting = new Semaphore(AT_ONCE);
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 20);
    private final byte[] bytes = new byte[1 << 20];
    private final java.util.concurrent.ConcurrentLinkedQueue<Client> fresh = new java.util.concurrent.ConcurrentLinkedQueue<>();
    private volatile Listener listener = (client, some, from, to) -> {};
    private volatile boolean closed;

    private static final class Client {
        final int number;
        final SocketChannel channel;
        final String path;
        boolean upgraded;
        byte[] rest = new byte[0]; // of a message that came in part

        Client(int number, SocketChannel channel, String path) {
            this.number = number;
            this.channel = channel;
            this.path = path;
        }
    }

    Sockets() throws IOException {
        selector = Selector.open();
        thread = Thread.ofPlatform().daemon().name("sockets").start(this::run);
    }

    void listen(Listener wanted) {
        listener = wanted;
    }

    /** Connects so many, some hundred at a time, and returns when all are open. */
    void open(int port, int count, IntFunction<String> path) throws Exception {
        int before = open.get() + lost.get();
        for (int i = 0; i < count; i++) {
            connecting.acquire();
            var channel = SocketChannel.open();
            channel.setOption(StandardSocketOptions.SO_RCVBUF, 64 * 1024);
            channel.configureBlocking(false);
            channel.connect(new InetSocketAddress("127.0.0.1", port));
            fresh.add(new Client(i, channel, path.apply(i)));
            selector.wakeup();
        }
        while (open.get() + lost.get() < before + count) {
            Thread.sleep(5);
        }
        if (lost.get() > 0) {
            throw new IOException(lost.get() + " of " + count + " sockets were not opened or were closed");
        }
    }

    private void run() {
        try {
            while (!closed) {
                selector.select(key -> serve(key), 1000);
                for (var client = fresh.poll(); client != null; client = fresh.poll()) {
                    client.channel.register(selector, SelectionKey.OP_CONNECT, client);
                }
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private void serve(SelectionKey key) {
        var client = (Client) key.attachment();
        try {
            if (key.isConnectable()) {
                client.channel.finishConnect();
                key.interestOps(SelectionKey.OP_READ);
                client.channel.write(ByteBuffer.wrap(("GET " + client.path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                                + "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII)));
            } else {
                read(client);
            }
        } catch (IOException e) {
            if (!closed && lost.incrementAndGet() == 1) {
                System.err.println("a socket was lost: " + e);
            }
            if (!client.upgraded) {
                connecting.release();
            }
            key.cancel();
        }
    }

    private void read(Client client) throws IOException {
        int kept = client.rest.length;
        System.arraycopy(client.rest, 0, bytes, 0, kept);
        buffer.clear().limit(bytes.length - kept);
        int read = client.channel.read(buffer);
        if (read < 0) {
            throw new EOFException("closed by the server");
        }
        buffer.flip().get(bytes, kept, read);
        int end = kept + read;
        int from = 0;
        if (!client.upgraded) {
            from = upgrade(client, end);
        }
        int next = client.upgraded ? from : end + 1;
        while (next <= end) {
            from = next;
            next = messageAt(client, from, end);
        }
        client.rest = from == end ? client.rest.length == 0 ? client.rest : new byte[0] : java.util.Arrays.copyOfRange(bytes, from, end);
    }

    /** Where the frames begin; 0 while the answer is not complete. */
    private int upgrade(Client client, int end) throws IOException {
        for (int i = 3; i < end; i++) {
            if (bytes[i] == '\n' && bytes[i - 2] == '\n') {
                if (bytes[9] != '1' || bytes[11] != '1') {
                    throw new IOException(new String(bytes, 0, end, StandardCharsets.US_ASCII));
                }
                client.upgraded = true;
                open.incrementAndGet();
                connecting.release();
                return i + 1;
            }
        }
        return 0;
    }

    /** The end of the frame that begins there; beyond the end when it is not complete. */
    private int messageAt(Client client, int from, int end) throws IOException {
        if (end - from < 2) {
            return Integer.MAX_VALUE;
        }
        int length = bytes[from + 1] & 0x7f;
        int header = length < 126 ? 2 : length == 126 ? 4 : 10;
        if (end - from < header) {
            return Integer.MAX_VALUE;
        }
        if (header > 2) {
            length = 0;
            for (int i = 2; i < header; i++) {
                length = length << 8 | bytes[from + i] & 0xff;
            }
        }
        int to = from + header + length;
        if (to <= end) {
            switch (bytes[from] & 0x0f) {
                case 0x9 -> client.channel.write(ByteBuffer.wrap(PONG));
                case 0x8 -> throw new EOFException("closed by the server: " + new String(bytes, from + header + 2, length - 2, StandardCharsets.UTF_8));
                default -> listener.message(client.number, bytes, from + header, to);
            }
        }
        return to <= end ? to : Integer.MAX_VALUE;
    }

    @Override
    public void close() throws IOException {
        closed = true;
        selector.wakeup();
        for (var key : selector.keys()) {
            key.channel().close();
        }
        selector.close();
    }
}
