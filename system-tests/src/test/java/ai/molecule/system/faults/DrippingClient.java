package ai.molecule.system.faults;

import ai.molecule.system.Platform;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A canvas that takes its bytes from the wire itself, so slowly as it is told. */
final class DrippingClient implements AutoCloseable {

    private static final int TIMEOUT_MILLIS = 60_000;
    private static final int BUFFER_BYTES = 4 * 1024;
    private static final int CLOSE = 8;

    private final URI hub;
    private final ByteArrayOutputStream dripped = new ByteArrayOutputStream();
    private Socket socket;
    private DataInputStream in;
    private long position;
    private int closeCode;

    /** Connects, from the present end of the log on. */
    DrippingClient(String hub) throws IOException {
        this.hub = URI.create(hub);
        open("/ws");
    }

    private void open(String path) throws IOException {
        socket = new Socket();
        socket.setReceiveBufferSize(BUFFER_BYTES);
        socket.setSoTimeout(TIMEOUT_MILLIS);
        socket.connect(new InetSocketAddress(hub.getHost(), hub.getPort()));
        socket.getOutputStream()
                .write(("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
        in = new DataInputStream(socket.getInputStream());
        var head = new StringBuilder();
        while (!head.toString().endsWith("\r\n\r\n")) {
            head.append((char) in.readUnsignedByte());
        }
        if (!head.toString().startsWith("HTTP/1.1 101")) {
            throw new IOException(head.toString());
        }
    }

    void readOneByte() throws IOException {
        dripped.write(in.readUnsignedByte());
    }

    /** Everything that was sent before the server ended it, as {@link LogTable#rows} lists it; what came in part is left out. */
    List<String> readToTheEnd() throws IOException {
        in = new DataInputStream(new java.io.SequenceInputStream(
                new java.io.ByteArrayInputStream(dripped.toByteArray()), socket.getInputStream()));
        List<String> rows = new ArrayList<>();
        try {
            while (closeCode == 0) {
                readMessage(rows);
            }
        } catch (EOFException | SocketException ended) {
            // without a close frame: the server did not wait any longer
        }
        return rows;
    }

    /** What the server said when it ended the connection; 0 when it did not get to it. */
    int closeCode() {
        return closeCode;
    }

    /** Connects anew with its position and reads so many events. */
    List<String> comeBack(int count) throws IOException {
        socket.close();
        open("/ws?since=" + position);
        List<String> rows = new ArrayList<>();
        while (rows.size() < count) {
            readMessage(rows);
        }
        return rows;
    }

    private void readMessage(List<String> rows) throws IOException {
        int kind;
        var text = new ByteArrayOutputStream();
        boolean last;
        int opcode = 0;
        do {
            kind = in.readUnsignedByte();
            last = (kind & 0x80) != 0;
            opcode = opcode == 0 ? kind & 0x0f : opcode;
            int length = in.readUnsignedByte();
            if (length == 126) {
                length = in.readUnsignedShort();
            } else if (length == 127) {
                length = (int) in.readLong();
            }
            text.write(in.readNBytes(length));
            if (text.size() < length) {
                throw new EOFException();
            }
        } while (!last);
        if (opcode == CLOSE) {
            byte[] said = text.toByteArray();
            closeCode = (said[0] & 0xff) << 8 | said[1] & 0xff;
        } else if (opcode == 1) {
            var event = Platform.JSON.readTree(text.toByteArray());
            if (event.has("seq")) {
                rows.add(LogTable.row(event));
                position = event.get("seq").asLong();
            }
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
