package ai.molecule.proxy.frontdoor;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.NetSocket;
import java.time.Duration;

/**
 * A WebSocket's bytes both ways, each side as fast as the other reads, until either side ends, the front door does, the client takes
 * nothing for too long (its owner's end would wait behind what it does not read), or the owner is silent for too long.
 */
final class Tunnel {

    /** For a frame to end, and for the client to read why. */
    private static final long GOODBYE_MILLIS = 1_000;

    /** A close frame, code 1001: going away. What the hubs say too, and clients come back with their position. */
    private static final Buffer GOING_AWAY = Buffer.buffer(new byte[] {(byte) 0x88, 2, 0x03, (byte) 0xe9});

    private final Vertx vertx;
    private final NetSocket client;
    private final NetSocket owner;
    private final Frames toClient = new Frames();
    private final SlowReader slowReader;
    private final SilentOwner silentOwner;
    private boolean leaving;

    Tunnel(Vertx vertx, NetSocket client, NetSocket owner, FrontDoorLimits limits) {
        this(vertx, client, owner, limits, SlowReader.PATIENCE);
    }

    Tunnel(Vertx vertx, NetSocket client, NetSocket owner, FrontDoorLimits limits, Duration patience) {
        this.silentOwner = new SilentOwner(vertx, limits.ownerSilence(), this::leave);
        this.slowReader = new SlowReader(vertx, patience, () -> {
            cut(client);
            owner.close();
        });
        this.vertx = vertx;
        this.client = client;
        this.owner = owner;
    }

    /** @param owner paused by the caller; what it said at once comes first */
    void start() {
        client.pipeTo(owner).onFailure(broken -> owner.close());
        owner.endHandler(ended -> client.end());
        owner.exceptionHandler(broken -> client.close());
        client.drainHandler(room -> {
            slowReader.reads();
            silentOwner.heard();
            owner.resume();
        });
        owner.closeHandler(closed -> {
            silentOwner.over();
            if (client.writeQueueFull()) {
                slowReader.waits();
            }
        });
        owner.handler(this::pass);
        owner.resume();
    }

    /** The client is gone. */
    void closed() {
        slowReader.reads();
        silentOwner.over();
    }

    /** Tells the client to come back, between two frames, and lets go of the owner. */
    void leave() {
        leaving = true;
        silentOwner.over();
        vertx.setTimer(GOODBYE_MILLIS, late -> {
            client.close();
            owner.close();
        });
        goodbye();
    }

    /** Closing alone would wait until the client has read everything. */
    private static void cut(NetSocket socket) {
        ((NetSocketInternal) socket).channelHandlerContext().close();
    }

    private void pass(Buffer data) {
        silentOwner.heard();
        toClient.pass(data);
        client.write(data);
        if (client.writeQueueFull()) {
            owner.pause();
            slowReader.waits();
        }
        if (leaving) {
            goodbye();
        }
    }

    private void goodbye() {
        if (toClient.atEnd()) {
            owner.handler(null).endHandler(null);
            client.write(GOING_AWAY);
            owner.close();
        }
    }
}
