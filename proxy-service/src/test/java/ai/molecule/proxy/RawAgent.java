package ai.molecule.proxy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** An agent without an HTTP server: it reads a request and then does to the socket whatever its script says. */
public final class RawAgent implements AutoCloseable {

    /** What happens after a request was read; the socket is closed afterwards. */
    public interface Script {
        void run(Socket socket, OutputStream out) throws IOException, InterruptedException;
    }

    private final ServerSocket listening;

    public RawAgent(Script script) {
        try {
            listening = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        Thread.ofVirtual().start(() -> accept(script));
    }

    public String url() {
        return "http://127.0.0.1:" + listening.getLocalPort();
    }

    /** Text, as it is. */
    public static Script says(String text) {
        return (socket, out) -> out.write(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Text, and then the connection is torn rather than closed, as by a kill. */
    public static Script diesAfter(String text) {
        return (socket, out) -> {
            out.write(text.getBytes(StandardCharsets.UTF_8));
            out.flush();
            socket.setSoLinger(true, 0);
        };
    }

    @Override
    public void close() throws IOException {
        listening.close();
    }

    private void accept(Script script) {
        try {
            while (!listening.isClosed()) {
                var socket = listening.accept();
                Thread.ofVirtual().start(() -> serve(socket, script));
            }
        } catch (SocketException closed) {
            // the end
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static void serve(Socket socket, Script script) {
        try (socket) {
            readRequest(socket.getInputStream());
            script.run(socket, socket.getOutputStream());
        } catch (IOException gone) {
            // the proxy hung up
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** The next request on a connection that stays. */
    public static void readRequest(InputStream in) throws IOException {
        var head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int c = in.read();
            if (c < 0) {
                throw new IOException("no request");
            }
            head.append((char) c);
        }
        for (String line : head.toString().split("\r\n")) {
            if (line.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                in.readNBytes(
                        Integer.parseInt(line.substring(line.indexOf(':') + 1).trim()));
            }
        }
    }
}
