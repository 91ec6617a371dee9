package ai.molecule.proxy.models;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.impl.ConnectionBase;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Writes the pieces of a chunked answer. While its connection takes all that comes a piece passes the pipeline below the encoder of HTTP,
 * because it is framed here: one buffer and one plain write, where the encoder makes three and a gathering one, for each of thousands a
 * second. Whatever else there is to write goes through Vert.x, and nothing overtakes it. To be used on the connection's event loop.
 */
final class ChunkOutlet {

    private static final byte[] LINE_END = "\r\n".getBytes(StandardCharsets.US_ASCII);

    /** Of the length in hexadecimal and two line ends. */
    private static final int FRAME_MAX_BYTES = 12;

    private final HttpServerResponse response;
    private final @Nullable ChannelHandlerContext encoder;
    private int underWay;

    /** @param request whose response is chunked */
    ChunkOutlet(HttpServerRequest request) {
        this.response = request.response();
        this.encoder = request.version() == HttpVersion.HTTP_1_1 && request.connection() instanceof ConnectionBase one
                ? one.channel().pipeline().context(HttpResponseEncoder.class)
                : null;
    }

    /** Through Vert.x. */
    void write(Buffer piece) {
        underWay++;
        response.write(piece).onComplete(written -> underWay--);
    }

    /**
     * At once where it can be.
     *
     * @param bytes those of the piece, which are not empty: an empty chunk would end the answer
     */
    void pass(Buffer piece, byte[] bytes) {
        var below = encoder;
        if (below == null
                || underWay > 0
                || !response.headWritten()
                || !below.channel().isWritable()) {
            write(piece);
            return;
        }
        var framed = below.alloc().directBuffer(bytes.length + FRAME_MAX_BYTES);
        framed.writeCharSequence(Integer.toHexString(bytes.length), StandardCharsets.US_ASCII);
        framed.writeBytes(LINE_END).writeBytes(bytes).writeBytes(LINE_END);
        below.writeAndFlush(framed, below.voidPromise());
    }
}
