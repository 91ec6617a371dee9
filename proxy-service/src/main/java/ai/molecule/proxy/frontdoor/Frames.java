package ai.molecule.proxy.frontdoor;

import io.vertx.core.buffer.Buffer;

/** Follows the bytes of a WebSocket, one direction, and knows where a frame ends (RFC 6455, 5.2): only there may another begin. */
final class Frames {

    private static final int MASKED = 0x80;

    private final byte[] head = new byte[14];
    private int headBytes;
    private long payloadLeft;

    void pass(Buffer data) {
        int at = 0;
        while (at < data.length()) {
            if (payloadLeft > 0) {
                int part = (int) Math.min(payloadLeft, data.length() - at);
                payloadLeft -= part;
                at += part;
            } else {
                head[headBytes++] = data.getByte(at++);
                if (headBytes >= 2 && headBytes == headLength()) {
                    payloadLeft = payloadLength();
                    headBytes = 0;
                }
            }
        }
    }

    /** Whether the last byte ended a frame. */
    boolean atEnd() {
        return headBytes == 0 && payloadLeft == 0;
    }

    private int headLength() {
        return 2 + lengthBytes() + ((head[1] & MASKED) == 0 ? 0 : 4);
    }

    private int lengthBytes() {
        return switch (head[1] & 0x7f) {
            case 126 -> 2;
            case 127 -> 8;
            default -> 0;
        };
    }

    private long payloadLength() {
        int bytes = lengthBytes();
        if (bytes == 0) {
            return head[1] & 0x7f;
        }
        long length = 0;
        for (int i = 0; i < bytes; i++) {
            length = length << 8 | head[2 + i] & 0xff;
        }
        return length;
    }
}
