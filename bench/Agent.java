import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;

/**
 * {@code java Agent.java <count> <ports-file>}: agents that cost next to nothing, one port of loopback each, on one thread. Each answers
 * every request with the same 230 bytes of JSON; {@code message/stream} with one event, and when the message says {@code stay} with
 * nothing more, else with the end of the task. Writes its ports to the file when all listen.
 */
class Agent {

    static final int REQUEST_MAX_BYTES = 8 * 1024;

    static final byte[] HEAD_END = bytes("\r\n\r\n");
    static final byte[] LENGTH = bytes("content-length:");
    static final byte[] STREAM = bytes("\"message/stream\"");
    static final byte[] STAY = bytes("stay");

    static final byte[] WHOLE = whole("""
            {"jsonrpc":"2.0","id":"1","result":{"kind":"message","role":"agent","messageId":"a7c1f2d0-5b1e-4f7a-9a53-0d6c2f1e8b44","taskId":"t-1","contextId":"c-1","parts":[{"kind":"text","text":"the answer of an agent that did its work"}]}}""");

    static int tasks;

    public static void main(String[] args) throws IOException {
        var selector = Selector.open();
        var ports = new ArrayList<String>();
        for (int i = 0; i < Integer.parseInt(args[0]); i++) {
            var server = ServerSocketChannel.open();
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1024);
            server.configureBlocking(false);
            server.register(selector, SelectionKey.OP_ACCEPT);
            ports.add(String.valueOf(server.socket().getLocalPort()));
        }
        var written = Path.of(args[1] + ".new");
        Files.write(written, ports);
        Files.move(written, Path.of(args[1]));
        while (true) {
            selector.select(key -> {
                try {
                    if (key.isAcceptable()) {
                        accept(key);
                    } else {
                        read(key);
                    }
                } catch (IOException gone) {
                    key.cancel();
                    close(key);
                }
            });
        }
    }

    static void accept(SelectionKey key) throws IOException {
        var client = ((ServerSocketChannel) key.channel()).accept();
        if (client != null) {
            client.configureBlocking(false);
            client.setOption(StandardSocketOptions.TCP_NODELAY, true);
            client.register(key.selector(), SelectionKey.OP_READ, ByteBuffer.allocate(REQUEST_MAX_BYTES));
        }
    }

    static void read(SelectionKey key) throws IOException {
        var client = (SocketChannel) key.channel();
        var in = (ByteBuffer) key.attachment();
        if (client.read(in) < 0) {
            throw new IOException("closed");
        }
        int size;
        while ((size = requestSize(in)) > 0) {
            write(client, answer(in, size));
            int rest = in.position() - size;
            System.arraycopy(in.array(), size, in.array(), 0, rest);
            in.position(rest);
        }
        if (!in.hasRemaining()) {
            throw new IOException("request too large");
        }
    }

    /** Head and body; 0 while they are not all here. */
    static int requestSize(ByteBuffer in) {
        int head = find(in, HEAD_END, 0, in.position());
        if (head < 0) {
            return 0;
        }
        int length = find(in, LENGTH, 0, head);
        int size = head + HEAD_END.length + (length < 0 ? 0 : number(in, length + LENGTH.length));
        return size <= in.position() ? size : 0;
    }

    static byte[] answer(ByteBuffer in, int size) {
        if (find(in, STREAM, 0, size) < 0) {
            return WHOLE;
        }
        int task = ++tasks;
        String events = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
                + chunk(event(task, "working", false));
        if (find(in, STAY, 0, size) < 0) {
            events += chunk(event(task, "completed", true)) + "0\r\n\r\n";
        }
        return bytes(events);
    }

    static String event(int task, String state, boolean last) {
        return """
                data: {"jsonrpc":"2.0","id":"1","result":{"kind":"status-update","taskId":"t-%d","contextId":"c-1","status":{"state":"%s"},"final":%s}}

                """.formatted(task, state, last);
    }

    static String chunk(String text) {
        return Integer.toHexString(text.length()) + "\r\n" + text + "\r\n";
    }

    static void write(SocketChannel client, byte[] answer) throws IOException {
        var out = ByteBuffer.wrap(answer);
        while (out.hasRemaining()) {
            client.write(out);
        }
    }

    static int find(ByteBuffer in, byte[] wanted, int from, int to) {
        for (int i = from; i <= to - wanted.length; i++) {
            int same = 0;
            while (same < wanted.length && lower(in.get(i + same)) == wanted[same]) {
                same++;
            }
            if (same == wanted.length) {
                return i;
            }
        }
        return -1;
    }

    static int number(ByteBuffer in, int from) {
        int value = 0;
        for (int i = from; in.get(i) != '\r'; i++) {
            value = in.get(i) == ' ' ? value : value * 10 + in.get(i) - '0';
        }
        return value;
    }

    static byte lower(byte c) {
        return c >= 'A' && c <= 'Z' ? (byte) (c + 32) : c;
    }

    static byte[] whole(String json) {
        return bytes("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + json.length() + "\r\n\r\n"
                + json);
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    static void close(SelectionKey key) {
        try {
            key.channel().close();
        } catch (IOException already) {
            // nothing is left to do
        }
    }
}
