package ai.molecule.system.routes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * What came back.
 *
 * @param status 0 when the connection was closed without an answer
 * @param head status line and headers, in lower case
 * @param body empty for upgrades and streams, which have no end
 */
record Answer(int status, String head, String body) {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** Beyond it the server hangs. Generous: the machine may be loaded. */
    private static final int PATIENCE_MILLIS = 20_000;

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
        return head.contains("\r\ncontent-type: application/json") && json().isObject();
    }

    /** Whether it says in JSON what was wrong. */
    boolean isError() {
        return isJson() && json().path("error").isTextual();
    }

    private static Answer read(InputStream in) throws IOException {
        var head = new ByteArrayOutputStream();
        try {
            while (!head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
                int next = in.read();
                if (next < 0) {
                    return new Answer(0, "", "");
                }
                head.write(next);
            }
        } catch (SocketException reset) {
            return new Answer(0, "", "");
        }
        String text = head.toString(StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
        int status = Integer.parseInt(text.split(" ", 3)[1]);
        int length = text.indexOf("\r\ncontent-length: ");
        String body = "";
        if (length >= 0) {
            int start = length + "\r\ncontent-length: ".length();
            int bytes = Integer.parseInt(text.substring(start, text.indexOf('\r', start)));
            body = new String(in.readNBytes(bytes), StandardCharsets.UTF_8);
        }
        return new Answer(status, text, body);
    }
}
