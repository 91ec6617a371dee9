import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.locks.LockSupport;

/**
 * {@code java Pace.java <port> <requests-file> <rate> <seconds> <connections>}: requests at an even pace, whatever the answers do. A
 * request that finds no free connection waits for one and its wait counts: latency is from due to answered. What is due in the first
 * two seconds, when this program itself is still slow, is sent and not counted. The file holds whole requests, each behind its length
 * in a line.
 */
class Pace {

    static final byte[] LENGTH = "content-length:".getBytes(StandardCharsets.US_ASCII);

    /** For answers after the last request. */
    static final int LATE_SECONDS = 10;

    /** How long to wait when every connection is taken. */
    static final long BUSY_NANOS = 20_000;

    /** Where a request waits for its answer. */
    static final class Line {
        final SocketChannel channel;
        final ByteBuffer in = ByteBuffer.allocate(16 * 1024);
        volatile long due;

        Line(SocketChannel channel) {
            this.channel = channel;
        }
    }

    /** Sent at the same pace before the count begins. */
    static final int WARM_SECONDS = 2;

    static byte[][] requests;
    static int[] micros;
    static final Deque<Line> free = new ConcurrentLinkedDeque<>();
    static long countedFrom;
    static volatile int answered;
    static volatile int bad;

    public static void main(String[] args) throws Exception {
        requests = read(Path.of(args[1]));
        double rate = Double.parseDouble(args[2]);
        int seconds = Integer.parseInt(args[3]);
        int warm = (int) (rate * WARM_SECONDS);
        int total = (int) (rate * seconds);
        micros = new int[total];
        var selector = Selector.open();
        for (int i = 0; i < Integer.parseInt(args[4]); i++) {
            free.add(connect(selector, Integer.parseInt(args[0])));
        }
        long start = System.nanoTime();
        countedFrom = start + (long) (warm / rate * 1e9);
        long end = countedFrom + (seconds + LATE_SECONDS) * 1_000_000_000L;
        Thread.ofPlatform().daemon().start(() -> receive(selector));
        for (int sent = 0; sent < warm + total && System.nanoTime() < end; ) {
            long due = start + (long) (sent / rate * 1e9);
            long early = due - System.nanoTime();
            var line = early > 0 ? null : free.poll();
            if (line == null) {
                LockSupport.parkNanos(Math.max(early, BUSY_NANOS));
            } else {
                send(line, requests[(int) (sent++ * 37L % requests.length)], due);
            }
        }
        while (answered < total && System.nanoTime() < end) {
            Thread.sleep(1);
        }
        int all = answered; // what is not answered by now counts as failed
        double took = (System.nanoTime() - countedFrom) / 1e9;
        Arrays.sort(micros, 0, all);
        System.out.printf("RESULT %.0f %.2f %.2f %.2f %d%n", all / took, at(all, 0.5), at(all, 0.99), at(all, 1), bad + total - all);
        System.exit(0);
    }

    static double at(int all, double part) {
        return all == 0 ? 0 : micros[Math.min(all - 1, (int) (all * part))] / 1000.0;
    }

    static Line connect(Selector selector, int port) throws IOException {
        var channel = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        var line = new Line(channel);
        channel.register(selector, SelectionKey.OP_READ, line);
        return line;
    }

    static void send(Line line, byte[] request, long due) throws IOException {
        var out = ByteBuffer.wrap(request);
        line.due = due;
        while (out.hasRemaining()) {
            line.channel.write(out);
        }
    }

    static void receive(Selector selector) {
        try {
            while (true) {
                selector.select(Pace::receive);
            }
        } catch (IOException broken) {
            System.err.println(broken);
        }
    }

    static void receive(SelectionKey key) {
        var line = (Line) key.attachment();
        try {
            if (line.channel.read(line.in) < 0) {
                throw new IOException("the server closed a connection");
            }
            if (isWhole(line.in)) {
                if (line.due >= countedFrom) {
                    micros[answered] = (int) ((System.nanoTime() - line.due) / 1000);
                    bad += line.in.get(9) == '2' ? 0 : 1; // HTTP/1.1 200
                    answered++;
                }
                line.in.clear();
                free.push(line);
            }
        } catch (IOException gone) {
            key.cancel();
            System.err.println(gone);
        }
    }

    static boolean isWhole(ByteBuffer in) {
        int length = -1;
        for (int i = 0; i + 3 < in.position(); i++) {
            if (in.get(i) == '\r' && in.get(i + 2) == '\r') {
                return in.position() >= i + 4 + Math.max(0, length);
            }
            if (length < 0 && in.get(i) == '\n' && startsWith(in, i + 1)) {
                length = number(in, i + 1 + LENGTH.length);
            }
        }
        return false;
    }

    static boolean startsWith(ByteBuffer in, int at) {
        for (int i = 0; i < LENGTH.length; i++) {
            if (at + i >= in.position() || (in.get(at + i) | 0x20) != (LENGTH[i] | 0x20)) {
                return false;
            }
        }
        return true;
    }

    static int number(ByteBuffer in, int at) {
        int value = 0;
        for (int i = at; i < in.position() && in.get(i) != '\r'; i++) {
            value = in.get(i) == ' ' ? value : value * 10 + in.get(i) - '0';
        }
        return value;
    }

    static byte[][] read(Path file) throws IOException {
        var all = new ArrayList<byte[]>();
        byte[] text = Files.readAllBytes(file);
        for (int at = 0; at < text.length; ) {
            int line = at;
            while (text[line] != '\n') {
                line++;
            }
            int size = Integer.parseInt(new String(text, at, line - at, StandardCharsets.US_ASCII));
            all.add(Arrays.copyOfRange(text, line + 1, line + 1 + size));
            at = line + 1 + size;
        }
        return all.toArray(new byte[0][]);
    }
}
