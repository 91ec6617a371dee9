import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The model door's provider and its callers.
 *
 * <ul>
 *   <li>{@code java Models.java provider <port-file>}: answers a call at once; a streamed one with 20 chunks a second, each with the time it
 *       was written at, until its caller leaves
 *   <li>{@code java Models.java calls <port> <path> <agents|-> <bytes> <seconds>}: calls in turn on one connection; prints the median in
 *       microseconds and how many there were
 *   <li>{@code java Models.java streams <port> <path> <agents|-> <count> <seconds> [<pid>]}: that many streams at once; prints median and p99
 *       of the time from a chunk's writing to its arrival in microseconds, the chunks, the streams that were cut or refused, and the CPU time
 *       in nanoseconds a chunk that process used while they were counted: of its event loops, of its compilers, of all the rest
 * </ul>
 */
class Models {

    static final int CHUNKS_A_SECOND = 20;
    static final int OPENED_A_SECOND = 200;
    static final byte[] MARK = "\"content\":\"".getBytes(StandardCharsets.US_ASCII);
    static final String WHOLE =
            "{\"id\":\"c\",\"object\":\"chat.completion\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"ok\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":500,\"completion_tokens\":1}}";

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "provider" -> provider(Path.of(args[1]));
            case "calls" -> calls(args);
            case "streams" -> streams(args);
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    static void provider(Path portFile) throws IOException {
        try (var server = new ServerSocket(0, 2_048, InetAddress.getLoopbackAddress())) {
            Path made = Files.writeString(Path.of(portFile + ".new"), server.getLocalPort() + "\n");
            Files.move(made, portFile);
            while (true) {
                Socket socket = server.accept();
                Thread.ofVirtual().start(() -> serve(socket));
            }
        }
    }

    static void serve(Socket socket) {
        try (socket) {
            socket.setTcpNoDelay(true);
            var in = new BufferedInputStream(socket.getInputStream(), 64 * 1024);
            var out = socket.getOutputStream();
            for (String head = head(in); head != null; head = head(in)) {
                String body = new String(in.readNBytes(lengthIn(head)), StandardCharsets.ISO_8859_1);
                if (body.contains("\"stream\":true")) {
                    speak(out);
                }
                out.write(("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + WHOLE.length()
                                + "\r\n\r\n" + WHOLE)
                        .getBytes(StandardCharsets.US_ASCII));
            }
        } catch (IOException left) {
            // the stream is over
        }
    }

    static void speak(OutputStream out) throws IOException {
        out.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
                .getBytes(StandardCharsets.US_ASCII));
        for (long next = System.nanoTime(); ; next += 1_000_000_000L / CHUNKS_A_SECOND) {
            LockSupport.parkNanos(next - System.nanoTime());
            String event = "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\""
                    + String.format("%020d", System.nanoTime()) + "\"}}]}\n\n";
            out.write((Integer.toHexString(event.length()) + "\r\n" + event + "\r\n").getBytes(StandardCharsets.US_ASCII));
            out.flush();
        }
    }

    static void calls(String[] args) throws Exception {
        String body = "{\"model\":\"bench:m\",\"messages\":[{\"role\":\"user\",\"content\":\"" + words(Integer.parseInt(args[4]))
                + "\"}]}";
        byte[] request = request(args, tokens(args[3]).getFirst(), body);
        long until = System.nanoTime() + Long.parseLong(args[5]) * 1_000_000_000L;
        long[] took = new long[4_000_000];
        int count = 0;
        try (var socket = connect(args)) {
            var in = new BufferedInputStream(socket.getInputStream());
            while (System.nanoTime() < until && count < took.length) {
                long begun = System.nanoTime();
                socket.getOutputStream().write(request);
                String head = head(in);
                if (head == null || !head.startsWith("HTTP/1.1 200")) {
                    throw new IOException("answered " + head);
                }
                in.readNBytes(lengthIn(head));
                took[count++] = System.nanoTime() - begun;
            }
        }
        Arrays.sort(took, 0, count);
        System.out.println(took[count / 2] / 1_000 + " " + count);
    }

    static void streams(String[] args) throws Exception {
        List<String> tokens = tokens(args[3]);
        int count = Integer.parseInt(args[4]);
        var delays = new long[8_000_000];
        var arrived = new AtomicInteger();
        var ended = new AtomicInteger();
        var over = new AtomicLong(Long.MAX_VALUE);
        var counted = new AtomicLong(Long.MAX_VALUE);
        var closed = new CountDownLatch(count);
        for (int i = 0; i < count; i++) {
            byte[] request =
                    request(args, tokens.get(i % tokens.size()), "{\"model\":\"bench:m\",\"stream\":true,\"messages\":[]}");
            Thread.ofVirtual().start(() -> {
                try (var socket = connect(args)) {
                    socket.getOutputStream().write(request);
                    listen(socket.getInputStream(), delays, arrived, counted, over);
                } catch (IOException cut) {
                    ended.incrementAndGet();
                }
                closed.countDown();
            });
            LockSupport.parkNanos(1_000_000_000L / OPENED_A_SECOND);
        }
        long now = System.nanoTime();
        long begins = now + 2_000_000_000L;
        long ends = begins + Long.parseLong(args[5]) * 1_000_000_000L;
        counted.set(begins);
        over.set(ends);
        LockSupport.parkNanos(begins - System.nanoTime());
        var before = cpuOfThreads(args.length > 6 ? args[6] : "self");
        LockSupport.parkNanos(ends - System.nanoTime());
        var after = cpuOfThreads(args.length > 6 ? args[6] : "self");
        closed.await();
        int all = Math.min(arrived.get(), delays.length);
        Arrays.sort(delays, 0, all);
        String cpu = Stream.of("vert.x-event", "C1 C2", "")
                .map(kind -> String.valueOf(used(before, after, kind) / Math.max(1, all)))
                .collect(Collectors.joining(" "));
        System.out.println(delays[all / 2] / 1_000 + " " + delays[(int) (all * 0.99)] / 1_000 + " " + all + " " + ended.get() + " " + cpu);
    }

    /** Name and nanoseconds of each thread of a process, by its number. */
    static Map<String, Map.Entry<String, Long>> cpuOfThreads(String pid) throws IOException {
        Map<String, Map.Entry<String, Long>> threads = new HashMap<>();
        try (var tasks = Files.list(Path.of("/proc", pid, "task"))) {
            for (var task : tasks.toList()) {
                try {
                    String name = Files.readString(task.resolve("comm")).strip();
                    String used = Files.readString(task.resolve("schedstat"));
                    threads.put(task.toString(), Map.entry(name, Long.parseLong(used.substring(0, used.indexOf(' ')))));
                } catch (IOException ended) {
                    // it counts for nothing
                }
            }
        }
        return threads;
    }

    /** By threads whose name begins with a word of {@code kind}; "" for those of neither kind. */
    static long used(Map<String, Map.Entry<String, Long>> before, Map<String, Map.Entry<String, Long>> after, String kind) {
        return after.entrySet().stream()
                .filter(thread -> kind.equals(kindOf(thread.getValue().getKey())))
                .mapToLong(thread -> thread.getValue().getValue()
                        - before.getOrDefault(thread.getKey(), Map.entry("", 0L)).getValue())
                .sum();
    }

    static String kindOf(String thread) {
        return thread.startsWith("vert.x-event") ? "vert.x-event" : thread.startsWith("C1 ") || thread.startsWith("C2 ") ? "C1 C2" : "";
    }

    /** Until it is over; an end before that is a failure. */
    static void listen(InputStream in, long[] delays, AtomicInteger arrived, AtomicLong counted, AtomicLong over)
            throws IOException {
        byte[] block = new byte[16 * 1024];
        int matched = 0;
        int digits = -1;
        long stamp = 0;
        while (true) {
            int read = in.read(block);
            long now = System.nanoTime();
            if (now > over.get()) {
                return;
            }
            if (read < 0) {
                throw new IOException("ended");
            }
            for (int i = 0; i < read; i++) {
                if (digits >= 0) {
                    stamp = stamp * 10 + block[i] - '0';
                    if (++digits == 20) {
                        digits = -1;
                        if (now > counted.get()) {
                            int at = arrived.getAndIncrement();
                            if (at < delays.length) {
                                delays[at] = now - stamp;
                            }
                        }
                    }
                } else {
                    matched = block[i] == MARK[matched] ? matched + 1 : block[i] == MARK[0] ? 1 : 0;
                    if (matched == MARK.length) {
                        matched = 0;
                        digits = 0;
                        stamp = 0;
                    }
                }
            }
        }
    }

    static Socket connect(String[] args) throws IOException {
        var socket = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(args[1]));
        socket.setTcpNoDelay(true);
        return socket;
    }

    static byte[] request(String[] args, String token, String body) {
        return ("POST " + args[2] + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer " + token
                        + "\r\nContent-Length: " + body.length() + "\r\n\r\n" + body)
                .getBytes(StandardCharsets.US_ASCII);
    }

    static String words(int bytes) {
        return "lorem ipsum dolor sit amet ".repeat(bytes / 27 + 1).substring(0, bytes);
    }

    static List<String> tokens(String file) throws IOException {
        return file.equals("-")
                ? List.of("none")
                : Files.readAllLines(Path.of(file)).stream()
                        .map(line -> line.substring(line.indexOf(' ') + 1))
                        .toList();
    }

    /** Null at the end of the connection. */
    static String head(InputStream in) throws IOException {
        var head = new StringBuilder();
        for (int c = in.read(); c >= 0; c = in.read()) {
            head.append((char) c);
            if (c == '\n' && head.length() > 3 && head.charAt(head.length() - 3) == '\n') {
                return head.toString();
            }
        }
        return null;
    }

    static int lengthIn(String head) {
        return head.lines()
                .filter(line -> line.regionMatches(true, 0, "content-length:", 0, 15))
                .mapToInt(line -> Integer.parseInt(line.substring(15).strip()))
                .findFirst()
                .orElse(0);
    }
}
