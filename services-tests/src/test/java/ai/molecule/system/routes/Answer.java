package ai.molecule.system.routes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * What came back.
 *
 * @param status 0 when the connection was closed without an answer
 * @param head status line and headers, in lower case
 * @param body empty for upgrades and streams, which have no end
 */
record Answer(int status, String head, String body) {

    private static final Pattern CONTENT_LENGTH = Pattern.compile("\r\ncontent-length: ([0-9]+)\r\n");
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Beyond it the server hangs. Generous: the machine may be loaded. */
    private static final int PATIENCE_MILLIS = 60_000;

    /** Sends the bytes over a connection of their own. */
    static Answer to(int port, byte[] request) {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(PATIENCE_MILLIS);
            socket.setTcpNoDelay(true);
            try {
                socket.getOutputStream().write(request);
            } catch (SocketException refusedMeanwhile) {
                // a request may be answered and cut before it was all sent
            }
            return read(socket.getInputStream());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** The client sends no more after these bytes, and says so. */
    static Answer toOneWhoLeaves(int port, byte[] request) {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(PATIENCE_MILLIS);
            socket.getOutputStream().write(request);
            socket.shutdownOutput();
            return read(socket.getInputStream());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    static Answer to(int port, Request request) {
        return to(port, request.bytes());
    }

    JsonNode json() {
        try {
            return JSON.readTree(body);
        } catch (IOException malformed) {
            throw new UncheckedIOException(malformed);
        }
    }

    String text(String member) {
        return json().path(member).asText();
    }

    boolean isJson() {
        boolean said = head.contains("\r\ncontent-type: application/json")
                || head.contains("\r\ncontent-type: application/a2a+json");
        return said && json().isObject();
    }

    /** Whether it says in JSON what was wrong; where programs of model providers ask, in an object as these read it. */
    boolean isError() {
        if (!isJson()) {
            return false;
        }
        var error = json().path("error");
        return error.isTextual() || error.path("message").isTextual();
    }

    private static Answer read(InputStream socket) throws IOException {
        var in = new BufferedInputStream(socket);
        String head = head(in);
        if (head.isEmpty()) {
            return new Answer(0, "", "");
        }
        int status = Integer.parseInt(head.split(" ", 3)[1]);
        var length = CONTENT_LENGTH.matcher(head);
        byte[] body = length.find() ? in.readNBytes(Integer.parseInt(length.group(1))) : new byte[0];
        return new Answer(status, head, new String(body, StandardCharsets.UTF_8));
    }

    /** Up to and with the empty line, in lower case; empty when the connection ends before it. */
    private static String head(InputStream in) throws IOException {
        var head = new StringBuilder();
        try {
            while (head.length() < 4 || !head.substring(head.length() - 4).equals("\r\n\r\n")) {
                int next = in.read();
                if (next < 0) {
                    return "";
                }
                head.append((char) next);
            }
        } catch (SocketException reset) {
            return "";
        }
        return head.toString().toLowerCase(Locale.ROOT);
    }
}
