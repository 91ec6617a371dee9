package ai.molecule.events.hub;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.events.Event;
import ai.molecule.common.json.Json;
import io.netty.buffer.ByteBuf;
import java.time.Instant;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Bytes that many sockets share: one copy, given back when the last of them has written it and nobody offers it any more. */
class SharingParcelsTest {

    @Test
    void all_writes_share_one_copy_that_goes_back_with_the_last_of_them() {
        var parcel = Parcel.shared(frames(3));
        var one = parcel.socketBytes();
        var two = parcel.after(1).socketBytes();
        var memory = root(one);

        assertThat(one.memoryAddress() + parcel.socketSize() - two.readableBytes())
                .isEqualTo(two.memoryAddress());
        parcel.release();
        one.release();
        assertThat(memory.refCnt()).isPositive();
        two.release();

        assertThat(memory.refCnt()).isZero();
    }

    @Test
    void what_is_written_after_the_last_holder_left_is_encoded_anew() {
        var parcel = Parcel.shared(frames(3));
        var kept = parcel.hold();
        var rest = parcel.after(1);
        var shared = parcel.socketBytes();
        var memory = root(shared);
        byte[] expected = bytesOf(shared);
        shared.release();
        parcel.release();
        kept.release();

        var late = parcel.socketBytes();
        var lateRest = rest.socketBytes();

        assertThat(memory.refCnt()).isZero();
        assertThat(bytesOf(late)).isEqualTo(expected);
        assertThat(bytesOf(lateRest)).hasSize(rest.socketSize());
        late.release();
        lateRest.release();
        assertThat(late.refCnt()).isZero();
        assertThat(lateRest.refCnt()).isZero();
    }

    private static byte[] bytesOf(ByteBuf buffer) {
        byte[] bytes = new byte[buffer.readableBytes()];
        buffer.getBytes(buffer.readerIndex(), bytes);
        return bytes;
    }

    private static ByteBuf root(ByteBuf buffer) {
        var root = buffer;
        while (root.unwrap() != null) {
            root = root.unwrap();
        }
        return root;
    }

    private static List<Frame> frames(int count) {
        return LongStream.rangeClosed(1, count)
                .mapToObj(seq -> new Frame(
                        new Event(seq, "ANY", null, Instant.EPOCH, Json.object().put("n", seq))))
                .toList();
    }
}
