package ai.molecule.common.net;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpContentDecompressor;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponse;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;

/**
 * Unpacks answers that come as gzip or deflate although nobody asked for that. Costs a connection nothing until the first such answer.
 * Of a coding that is not known here, the header {@code Content-Encoding} stays.
 */
final class CompressedResponses extends ChannelInboundHandlerAdapter {

    /** More than any answer may have; what unpacks to more at once is broken off. */
    private static final int UNPACKED_AT_ONCE_MAX_BYTES = 16 << 20;

    private CompressedResponses() {}

    /** For a connection before its first request. */
    static void unpack(HttpConnection connection) {
        ((ConnectionBase) connection).channel().pipeline().addAfter("codec", "packed", new CompressedResponses());
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof HttpResponse response && isPacked(response)) {
            ctx.pipeline()
                    .addAfter(ctx.name(), "inflater", new HttpContentDecompressor(false, UNPACKED_AT_ONCE_MAX_BYTES));
            ctx.fireChannelRead(message);
            ctx.pipeline().remove(this);
        } else {
            ctx.fireChannelRead(message);
        }
    }

    /** A header that only says that nothing was done is taken off. */
    private static boolean isPacked(HttpResponse response) {
        if ("identity".equalsIgnoreCase(response.headers().get(HttpHeaderNames.CONTENT_ENCODING))) {
            response.headers().remove(HttpHeaderNames.CONTENT_ENCODING);
        }
        return response.headers().contains(HttpHeaderNames.CONTENT_ENCODING);
    }
}
