package ai.molecule.events.hub;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Events that follow one another, sent together: encoded once for all who get them, and one write for each. Either all of them
 * are recorded, in the order of their positions, or none is. Never empty.
 *
 * <p>The bytes of a shared one are pooled memory outside the heap, reference counted: whoever keeps the parcel holds it, and releases it
 * when it is offered no more. It may still be written after that; then each write encodes it anew. To be used on one event loop.
 */
public final class Parcel {

    /** Bytes of a parcel. Only a single event may be larger, so that what waits for a slow reader stays bounded. */
    static final int MAX_BYTES = 256 * 1024;

    private final List<Frame> frames;
    private final int socketSize;
    private final @Nullable Parcel whole;
    private int holders;
    private @Nullable ByteBuf shared; // while there are holders
    private @Nullable Buffer streamBytes;

    private Parcel(List<Frame> frames, @Nullable Parcel whole, int holders) {
        this.frames = frames;
        this.whole = whole;
        this.holders = holders;
        this.socketSize =
                frames.stream().mapToInt(frame -> frame.socketBytes().length).sum();
    }

    /** For one reader, or for streams. */
    static Parcel of(List<Frame> frames) {
        return new Parcel(notEmpty(frames), null, 0);
    }

    /** For many sockets; held by the caller, who must {@link #release} it. */
    static Parcel shared(List<Frame> frames) {
        return new Parcel(notEmpty(frames), null, 1);
    }

    private static List<Frame> notEmpty(List<Frame> frames) {
        if (frames.isEmpty()) {
            throw new IllegalArgumentException("a parcel holds at least one event");
        }
        return List.copyOf(frames);
    }

    /** As few parcels as the bound allows, each shared. */
    static List<Parcel> pack(List<Frame> frames) {
        List<Parcel> parcels = new ArrayList<>();
        int from = 0;
        int bytes = 0;
        for (int i = 0; i < frames.size(); i++) {
            int size = frames.get(i).socketBytes().length;
            if (i > from && bytes + size > MAX_BYTES) {
                parcels.add(shared(frames.subList(from, i)));
                from = i;
                bytes = 0;
            }
            bytes += size;
        }
        if (from < frames.size()) {
            parcels.add(shared(frames.subList(from, frames.size())));
        }
        return parcels;
    }

    /** One holder more. */
    Parcel hold() {
        holders++;
        return this;
    }

    /** To be called once by each holder. */
    void release() {
        holders--;
        if (holders == 0 && shared != null) {
            shared.release();
            shared = null;
        }
    }

    List<Frame> frames() {
        return frames;
    }

    boolean isRecorded() {
        return frames.getFirst().event().seq() != null;
    }

    /** Of a recorded one. */
    long lastSeq() {
        return frames.getLast().seq();
    }

    /** What follows a position that is before the last: this parcel, or the rest of it on the same bytes. */
    Parcel after(long seq) {
        int skipped = 0;
        while (frames.get(skipped).seq() <= seq) {
            skipped++;
        }
        return skipped == 0
                ? this
                : new Parcel(frames.subList(skipped, frames.size()), whole == null ? this : whole, 0);
    }

    int socketSize() {
        return socketSize;
    }

    /** The WebSocket messages, to be written as they are; whoever asked releases them, as a write does. */
    public ByteBuf socketBytes() {
        var of = whole == null ? this : whole;
        if (of.holders <= 0) {
            return encode();
        }
        if (of.shared == null) {
            of.shared = of.encode();
        }
        return of.shared.retainedSlice(of.socketSize - socketSize, socketSize);
    }

    private ByteBuf encode() {
        var bytes = PooledByteBufAllocator.DEFAULT.directBuffer(socketSize);
        frames.forEach(frame -> bytes.writeBytes(frame.socketBytes()));
        return bytes;
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
