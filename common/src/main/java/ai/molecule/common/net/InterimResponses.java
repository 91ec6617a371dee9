package ai.molecule.common.net;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;

/**
 * Passes over what a server says before its answer (RFC 9110, 15.2: any 1xx but 101). The client knows 100 and 103 only and takes any
 * other for the answer; the answer itself then goes to whoever sends the next request on that connection.
 */
final class InterimResponses extends ChannelInboundHandlerAdapter {

    private static final int SWITCHING_PROTOCOLS = 101;

    private boolean passing;

    private InterimResponses() {}

    /** For a connection before its first request. */
    static void passOver(HttpConnection connection) {
        ((ConnectionBase) connection).channel().pipeline().addAfter("codec", "interim", new InterimResponses());
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof HttpResponse response) {
            int status = response.status().code();
            passing = status < 200 && status != SWITCHING_PROTOCOLS;
        }
        if (!passing) {
            ctx.fireChannelRead(message);
            return;
        }
        passing = !(message instanceof LastHttpContent);
        ReferenceCountUtil.release(message);
    }
}
