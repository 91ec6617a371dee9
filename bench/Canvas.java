import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * {@code java Canvas.java <port>}: subscribes to all events as a canvas does, reads and counts them. Prints the count of frames for each
 * line it gets on standard input. Ends with it.
 */
class Canvas {

    static final int BUFFER_BYTES = 256 * 1024;

    static volatile long frames;

    public static void main(String[] args) throws Exception {
        var socket = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0]));
        String key = Base64.getEncoder().encodeToString(new byte[16]);
        socket.getOutputStream().write(("GET /ws HTTP/1.1\r\nHost: 127.0.0.1:" + args[0]
                        + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " + key
                        + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
        Thread.ofPlatform().daemon().start(() -> read(socket));
        while (System.in.read() >= 0) {
            System.out.println(frames);
        }
        System.exit(0);
    }

    static void read(Socket socket) {
        try (var in = new java.io.BufferedInputStream(socket.getInputStream(), BUFFER_BYTES)) {
            skipHead(in);
            while (true) {
                int kind = in.read() & 0x0f;
                long length = in.read() & 0x7f;
                if (length >= 126) {
                    int bytes = length == 126 ? 2 : 8;
                    length = 0;
                    for (int i = 0; i < bytes; i++) {
                        length = length << 8 | in.read();
                    }
                }
                if (kind == 9) { // ping: its pong repeats it, masked with nothing
                    pong(socket, in.readNBytes((int) length));
                } else {
                    in.skipNBytes(length);
                    frames++;
                }
            }
        } catch (IOException ended) {
            System.err.println("the hub closed: " + ended);
        }
    }

    static void pong(Socket socket, byte[] said) throws IOException {
        byte[] frame = new byte[6 + said.length];
        frame[0] = (byte) 0x8a;
        frame[1] = (byte) (0x80 | said.length);
        System.arraycopy(said, 0, frame, 6, said.length);
        socket.getOutputStream().write(frame);
    }

    static void skipHead(InputStream in) throws IOException {
        int ends = 0;
        while (ends < 2) {
            int c = in.read();
            ends = c == '\n' ? ends + 1 : c == '\r' ? ends : 0;
            if (c < 0) {
                throw new IOException("refused");
            }
        }
    }
}
