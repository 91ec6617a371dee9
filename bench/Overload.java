import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;

/**
 * {@code java Overload.java <front-door-port> <registry-url> <callers> <seconds>}: so many callers, each with an address of its own on the
 * loopback, send 1 MiB to an agent that takes it and never answers, and send again as soon as they were told that they may. Prints
 * {@code RESULT <refused> <median ms> <p99 ms> <max ms> <others>}: how long a refusal took from the first byte, and
 * what else was answered, by status.
 */
class Overload {

    static final byte[] CHUNK = "x".repeat(64 * 1024).getBytes(StandardCharsets.US_ASCII);
    static final int CHUNKS = 15;
    static final String BEGIN = "{\"method\":\"message/send\",\"params\":{\"message\":{\"role\":\"user\",\"parts\":[{\"kind\":\"text\",\"text\":\"";
    static final String END = "\"}]}}}";

    /** What a refusal says, in its header Retry-After. */
    static final int RETRY_MILLIS = 2_000;

    static final ConcurrentLinkedQueue<Integer> refusedMicros = new ConcurrentLinkedQueue<>();
    static final Map<String, Integer> others = new TreeMap<>();

    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(args[0]);
        int callers = Integer.parseInt(args[2]);
        long end = System.nanoTime() + Integer.parseInt(args[3]) * 1_000_000_000L;
        var agent = new ServerSocket(0, 1000, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(() -> takeAll(agent));
        String target = register(args[1], agent.getLocalPort());
        byte[] head = ("POST /workspaces/%s/a2a HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s")
                .formatted(target, BEGIN.length() + CHUNKS * CHUNK.length + END.length(), BEGIN)
                .getBytes(StandardCharsets.US_ASCII);
        var threads = Executors.newVirtualThreadPerTaskExecutor();
        for (int i = 0; i < callers; i++) {
            var from = InetAddress.getByName("127.0.%d.%d".formatted(1 + i / 250, 1 + i % 250));
            threads.submit(() -> callUntil(end, from, port, head));
        }
        while (System.nanoTime() < end) {
            Thread.sleep(50);
        }
        int[] micros = refusedMicros.stream().mapToInt(Integer::intValue).sorted().toArray();
        System.out.printf("RESULT %d %.2f %.2f %.2f %s%n", micros.length, at(micros, 0.5), at(micros, 0.99), at(micros, 1), others);
        System.exit(0);
    }

    static double at(int[] micros, double part) {
        return micros.length == 0 ? 0 : micros[Math.min(micros.length - 1, (int) (micros.length * part))] / 1000.0;
    }

    static void callUntil(long end, InetAddress from, int port, byte[] head) {
        while (System.nanoTime() < end) {
            String status = "cut";
            try (var socket = new Socket()) {
                socket.bind(new InetSocketAddress(from, 0));
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                long began = System.nanoTime();
                send(socket, head);
                byte[] line = socket.getInputStream().readNBytes(12);
                status = new String(line, Math.min(9, line.length), Math.max(0, line.length - 9), StandardCharsets.US_ASCII);
                if (status.equals("503")) {
                    refusedMicros.add((int) ((System.nanoTime() - began) / 1000));
                }
            } catch (IOException cut) {
                // told as cut
            }
            if (!status.equals("503")) {
                synchronized (others) {
                    others.merge(status, 1, Integer::sum);
                }
            }
            try {
                Thread.sleep(RETRY_MILLIS);
            } catch (InterruptedException stopped) {
                return;
            }
        }
    }

    /** As a client does that looks whether it is answered before it has sent everything. */
    static void send(Socket socket, byte[] head) throws IOException {
        var out = socket.getOutputStream();
        InputStream in = socket.getInputStream();
        out.write(head);
        for (int i = 0; i < CHUNKS && in.available() == 0; i++) {
            out.write(CHUNK);
        }
        if (in.available() == 0) {
            out.write(END.getBytes(StandardCharsets.US_ASCII));
        }
    }

    static void takeAll(ServerSocket agent) {
        while (true) {
            try {
                var socket = agent.accept();
                Thread.ofVirtual().start(() -> {
                    try {
                        socket.getInputStream().transferTo(java.io.OutputStream.nullOutputStream());
                    } catch (IOException gone) {
                        // the proxy gave it up
                    }
                });
            } catch (IOException closed) {
                return;
            }
        }
    }

    static String register(String registry, int port) throws Exception {
        String id = UUID.randomUUID().toString();
        String body = "{\"id\":\"%s\",\"url\":\"http://localhost:%d\",\"agent_card\":{\"name\":\"Silent\",\"description\":\"\",\"skills\":[]}}"
                .formatted(id, port);
        try (var http = HttpClient.newHttpClient()) {
            var answer = http.send(
                    HttpRequest.newBuilder(URI.create(registry + "/registry/register"))
                            .header("Content-Type", "application/json")
                            .POST(HttpRequest.BodyPublishers.ofString(body))
                            .build(),
                    BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                throw new IOException(answer.statusCode() + " " + answer.body());
            }
        }
        return id;
    }
}
