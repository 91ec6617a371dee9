import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * {@code java Fanout.java <events-port> <agents-file> <clients> <events> <jvm-pid> <jcmd>}: canvases that only listen, and an agent
 * that says something to the user now and then; from its request to the last canvas.
 */
class Fanout {

    static final int WARM_UP = 50;
    static final int EVERY_MILLIS = 150;
    static final byte[] MESSAGE = "{\"event\":\"AGENT_MESSAGE\"".getBytes(StandardCharsets.US_ASCII);

    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(args[0]);
        var agent = Files.readAllLines(Path.of(args[1])).getFirst().split(" ");
        int clients = Integer.parseInt(args[2]);
        int events = Integer.parseInt(args[3]);
        try (var http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
                var sockets = new Sockets()) {
            say(http, port, agent);
            long heapBefore = heapBytes(args[5], args[4]);
            long began = System.nanoTime();
            sockets.open(port, clients, i -> "/ws");
            System.out.printf("%d canvases connected in %.1f s%n", clients, (System.nanoTime() - began) / 1e9);
            Thread.sleep(2000);
            long heapIdle = heapBytes(args[5], args[4]);
            System.out.printf("heap per idle connection: %.1f kB%n", (heapIdle - heapBefore) / 1000.0 / clients);
            var micros = new long[events];
            for (int i = -WARM_UP; i < events; i++) {
                long took = once(http, port, agent, sockets, clients);
                if (i >= 0) {
                    micros[i] = took / 1000;
                }
                Thread.sleep(Math.max(0, EVERY_MILLIS - took / 1_000_000));
            }
            Arrays.sort(micros);
            System.out.printf(
                    "%d events to %d canvases, from the request to the last: median %.0f ms, p99 %.0f ms, greatest %.0f ms; sockets lost: %d%n",
                    events,
                    clients,
                    micros[events / 2] / 1e3,
                    micros[(int) (events * 0.99)] / 1e3,
                    micros[events - 1] / 1e3,
                    sockets.lost.get());
        }
    }

    static long once(HttpClient http, int port, String[] agent, Sockets sockets, int clients) throws Exception {
        var reached = new CountDownLatch(1);
        var left = new int[] {clients}; // counted on the sockets' one thread
        var at = new long[1];
        sockets.listen((client, bytes, from, to) -> {
            if (isMessage(bytes, from) && --left[0] == 0) {
                at[0] = System.nanoTime();
                reached.countDown();
            }
        });
        long sent = System.nanoTime();
        say(http, port, agent);
        if (!reached.await(30, TimeUnit.SECONDS)) {
            throw new IllegalStateException(left[0] + " canvases did not get it within 30 s");
        }
        return at[0] - sent;
    }

    /** Anything else is of somebody else, who fell silent, say. */
    static boolean isMessage(byte[] bytes, int from) {
        return Arrays.equals(bytes, from, from + MESSAGE.length, MESSAGE, 0, MESSAGE.length);
    }

    static void say(HttpClient http, int port, String[] agent) throws Exception {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/workspaces/" + agent[0] + "/notify"))
                .header("Content-Type", "application/json")
                .header("Authorization", "Bearer " + agent[1])
                .POST(BodyPublishers.ofString("{\"message\":\"" + "a line of an answer ".repeat(10) + "\"}"))
                .build();
        var answer = http.send(request, BodyHandlers.ofString());
        if (answer.statusCode() != 200) {
            throw new IllegalStateException(answer.statusCode() + " " + answer.body());
        }
    }

    /** What is in use after a collection. */
    static long heapBytes(String jcmd, String pid) throws Exception {
        jcmd(jcmd, pid, "GC.run");
        jcmd(jcmd, pid, "GC.run");
        return jcmd(jcmd, pid, "GC.heap_info")
                .lines()
                .filter(line -> line.contains(" total ") && line.contains("used "))
                .mapToLong(line -> Long.parseLong(line.replaceAll(".*used (\\d+)K.*", "$1")) * 1024)
                .sum();
    }

    static String jcmd(String jcmd, String pid, String command) throws Exception {
        var process = new ProcessBuilder(jcmd, pid, command).redirectErrorStream(true).start();
        return new String(process.getInputStream().readAllBytes());
    }
}
