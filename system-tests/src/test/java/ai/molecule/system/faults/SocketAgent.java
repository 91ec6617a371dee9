package ai.molecule.system.faults;

import ai.molecule.system.Platform;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/** An agent outside the platform that does to the socket whatever its script says, with each message; then the socket is closed. */
final class SocketAgent implements AutoCloseable {

    static final String JSON = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
    static final String EVENTS =
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

    private static final String NO_CARD = "HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

    interface Script {
        void run(String message, Socket socket, OutputStream out) throws Exception;
    }

    private final ServerSocket listening;

    SocketAgent(Script script) throws IOException {
        this(0, script);
    }

    SocketAgent(int port, Script script) throws IOException {
        listening = new ServerSocket(port, 512, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(() -> accept(script));
    }

    /** Says it and closes. */
    static Script says(String text) {
        return (message, socket, out) -> write(out, text);
    }

    /** Says it and is killed: the connection is torn. */
    static Script diesAfter(String text) {
        return (message, socket, out) -> {
            write(out, text);
            socket.setSoLinger(true, 0);
        };
    }

    /** Counts each message by its id and answers it. */
    static Script counts(Map<String, Integer> received) {
        return (message, socket, out) -> {
            received.merge(
                    Platform.JSON
                            .readTree(message)
                            .at("/params/message/messageId")
                            .asText(),
                    1,
                    Integer::sum);
            write(out, json("{\"result\":\"done\"}"));
        };
    }

    /** A stream of {@code {"n":1}}, {@code {"n":2}}, and so on, ten in a second. */
    static Script talksWhile(AtomicBoolean talking) {
        return (message, socket, out) -> {
            write(out, EVENTS);
            for (int n = 1; talking.get(); n++) {
                write(out, chunk("data: {\"n\":" + n + "}\n\n"));
                Thread.sleep(100);
            }
            write(out, "0\r\n\r\n");
        };
    }

    /** A message with that id. */
    static String message(String id) {
        return "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"message/send\",\"params\":{\"message\":{\"role\":\"user\",\"messageId\":\""
                + id + "\",\"parts\":[{\"kind\":\"text\",\"text\":\"go\"}]}}}";
    }

    /** A whole JSON answer, after which the connection is closed. */
    static String json(String body) {
        return JSON + "Connection: close\r\nContent-Length: " + body.getBytes(StandardCharsets.UTF_8).length
                + "\r\n\r\n" + body;
    }

    static String chunk(String text) {
        return Integer.toHexString(text.getBytes(StandardCharsets.UTF_8).length) + "\r\n" + text + "\r\n";
    }

    static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    String url() {
        return "http://localhost:" + listening.getLocalPort() + "/";
    }

    /** As a workspace; answers its id. */
    String register(Platform platform, String name) {
        String body = "{\"name\":\"%s\",\"external\":true,\"url\":\"%s\"}".formatted(name, url());
        return platform.make("/workspaces", body).get("id").asText();
    }

    @Override
    public void close() {
        try {
            listening.close();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private void accept(Script script) {
        while (!listening.isClosed()) {
            try {
                var socket = listening.accept();
                Thread.ofVirtual().start(() -> serve(socket, script));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private static void serve(Socket socket, Script script) {
        try (socket) {
            var head = head(socket.getInputStream());
            if (head.startsWith("GET ")) { // the platform looks for a card; it has none
                write(socket.getOutputStream(), NO_CARD);
                return;
            }
            script.run(body(head, socket.getInputStream()), socket, socket.getOutputStream());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } catch (Exception gone) {
            // the proxy hung up, or was killed
        }
    }

    private static String head(InputStream in) throws IOException {
        var head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int c = in.read();
            if (c < 0) {
                throw new IOException("no request");
            }
            head.append((char) c);
        }
        return head.toString();
    }

    private static String body(String head, InputStream in) throws IOException {
        int length = head.lines()
                .filter(line -> line.toLowerCase(Locale.ROOT).startsWith("content-length:"))
                .mapToInt(line ->
                        Integer.parseInt(line.substring(line.indexOf(':') + 1).strip()))
                .findFirst()
                .orElse(0);
        return new String(in.readNBytes(length), StandardCharsets.UTF_8);
    }
}
