package ai.molecule.common.net;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponse;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;
import java.util.regex.Pattern;

/**
 * Lets a server shorten the time for which a connection is kept, never lengthen it: the client would believe {@code Keep-Alive:
 * timeout=5} to the moment, and a request that meets the server's close is lost.
 */
final class KeptConnections extends ChannelInboundHandlerAdapter {

    private static final Pattern LONG_ENOUGH = Pattern.compile("(?i).*\\btimeout\\s*=\\s*\"?0*([5-9]|[1-9]\\d+)\\b.*");

    private KeptConnections() {}

    /** For a connection before its first request. */
    static void watch(HttpConnection connection) {
        ((ConnectionBase) connection).channel().pipeline().addAfter("codec", "kept", new KeptConnections());
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof HttpResponse response) {
            String kept = response.headers().get(HttpHeaderNames.KEEP_ALIVE);
            if (kept != null) {
                response.headers().remove(HttpHeaderNames.KEEP_ALIVE);
                if (kept.contains("timeout") && !LONG_ENOUGH.matcher(kept).matches()) {
                    response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
                }
            }
        }
        ctx.fireChannelRead(message);
    }
}
