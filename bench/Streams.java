import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * {@code java Streams.java first <port> <agents-file> <count>}: one stream after the other on one connection; prints the median
 * milliseconds until the first event. {@code java Streams.java hold <port> <agents-file> <count>}: that many streams that say nothing
 * after their first event; prints how many there are and holds them until standard input ends.
 */
class Streams {

    static final int TIMEOUT_MILLIS = 30_000;

    /** Rounds that nothing is measured in. */
    static final int WARM_UP = 2000;

    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(args[1]);
        var agents = Files.readAllLines(Path.of(args[2]));
        int count = Integer.parseInt(args[3]);
        if (args[0].equals("first")) {
            first(port, agents, count);
        } else {
            hold(port, agents, count);
        }
    }

    static void first(int port, List<String> agents, int count) throws IOException {
        var micros = new long[count];
        try (var socket = connect(port)) {
            var in = new BufferedInputStream(socket.getInputStream());
            for (int i = -WARM_UP; i < count; i++) {
                long start = System.nanoTime();
                socket.getOutputStream().write(request(agents, Math.abs(i), "go"));
                readUntil(in, "data:");
                if (i >= 0) {
                    micros[i] = (System.nanoTime() - start) / 1000;
                }
                readUntil(in, "\r\n0\r\n\r\n");
            }
        }
        Arrays.sort(micros);
        System.out.printf("RESULT %.3f%n", micros[count / 2] / 1000.0);
    }

    static void hold(int port, List<String> agents, int count) throws Exception {
        var held = new ArrayList<Socket>();
        for (int i = 0; i < count; i++) {
            var socket = connect(port);
            socket.getOutputStream().write(request(agents, i, "stay"));
            readUntil(socket.getInputStream(), "data:");
            held.add(socket);
        }
        System.out.println("RESULT " + held.size());
        System.in.read();
        System.exit(0);
    }

    static Socket connect(int port) throws IOException {
        var socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(TIMEOUT_MILLIS);
        return socket;
    }

    static byte[] request(List<String> agents, int number, String text) {
        String body = """
                {"jsonrpc":"2.0","id":"%d","method":"message/stream","params":{"message":{"kind":"message","role":"user","messageId":"5f0c9d6e-2f4b-4c43-9f0b-%012d","parts":[{"kind":"text","text":"%s"}]}}}"""
                .formatted(number, number, text);
        String id = agents.get(number % agents.size()).split(" ")[0];
        return ("POST /workspaces/" + id + "/a2a HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: "
                        + body.length() + "\r\n\r\n" + body)
                .getBytes(StandardCharsets.US_ASCII);
    }

    /** Reads no byte behind {@code text}, none of whose prefixes is repeated in it. */
    static void readUntil(InputStream in, String text) throws IOException {
        int same = 0;
        while (same < text.length()) {
            int c = in.read();
            if (c < 0) {
                throw new IOException("the stream ended");
            }
            same = c == text.charAt(same) ? same + 1 : c == text.charAt(0) ? 1 : 0;
        }
    }
}
