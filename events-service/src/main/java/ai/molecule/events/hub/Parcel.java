package ai.molecule.events.hub;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vertx.core.buffer.Buffer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Events that follow one another, sent together: encoded once for all who get them, and one write for each. Either all of them
 * are recorded, in the order of their positions, or none is. Never empty.
 */
public final class Parcel {

    /** Bytes of a parcel. Only a single event may be larger, so that what waits for a slow reader stays bounded. */
    static final int MAX_BYTES = 256 * 1024;

    private final List<Frame> frames;
    private @Nullable ByteBuf socketBytes;
    private @Nullable Buffer streamBytes;

    private Parcel(List<Frame> frames) {
        this.frames = frames;
    }

    static Parcel of(List<Frame> frames) {
        if (frames.isEmpty()) {
            throw new IllegalArgumentException("a parcel holds at least one event");
        }
        return new Parcel(List.copyOf(frames));
    }

    /** As few parcels as the bound allows. */
    static List<Parcel> pack(List<Frame> frames) {
        List<Parcel> parcels = new ArrayList<>();
        int from = 0;
        int bytes = 0;
        for (int i = 0; i < frames.size(); i++) {
            int size = frames.get(i).socketBytes().length;
            if (i > from && bytes + size > MAX_BYTES) {
                parcels.add(of(frames.subList(from, i)));
                from = i;
                bytes = 0;
            }
            bytes += size;
        }
        if (from < frames.size()) {
            parcels.add(of(frames.subList(from, frames.size())));
        }
        return parcels;
    }

    List<Frame> frames() {
        return frames;
    }

    boolean isRecorded() {
        return frames.getFirst().event().seq() != null;
    }

    /** Of a recorded one. */
    long firstSeq() {
        return frames.getFirst().seq();
    }

    /** Of a recorded one. */
    long lastSeq() {
        return frames.getLast().seq();
    }

    /** What follows a position that is before the last: this parcel, or the rest of it on the same bytes. */
    Parcel after(long seq) {
        int skipped = 0;
        int skippedBytes = 0;
        while (frames.get(skipped).seq() <= seq) {
            skippedBytes += frames.get(skipped).socketBytes().length;
            skipped++;
        }
        if (skipped == 0) {
            return this;
        }
        var rest = new Parcel(frames.subList(skipped, frames.size()));
        var all = socketBytes();
        rest.socketBytes = all.slice(skippedBytes, all.readableBytes() - skippedBytes);
        return rest;
    }

    int socketSize() {
        return socketBytes().readableBytes();
    }

    /**
     * The WebSocket messages. To be written as it is, by any number of sockets: outside the heap, so that none of them copies it, and
     * freed with this object, whatever becomes of the writes.
     */
    public ByteBuf socketBytes() {
        if (socketBytes == null) {
            int size = frames.stream()
                    .mapToInt(frame -> frame.socketBytes().length)
                    .sum();
            var bytes = ByteBuffer.allocateDirect(size);
            frames.forEach(frame -> bytes.put(frame.socketBytes()));
            socketBytes = Unpooled.unreleasableBuffer(Unpooled.wrappedBuffer(bytes.flip()));
        }
        return socketBytes.duplicate();
    }

    /** The server-sent events. */
    public Buffer streamBytes() {
        if (streamBytes == null) {
            var bytes = Buffer.buffer();
            frames.forEach(frame -> bytes.appendBytes(frame.streamBytes()));
            streamBytes = bytes;
        }
        return streamBytes;
    }
}
