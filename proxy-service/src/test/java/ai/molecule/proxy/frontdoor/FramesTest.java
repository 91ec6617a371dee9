package ai.molecule.proxy.frontdoor;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Another frame may begin only where one ended. */
class FramesTest {

    @Test
    void every_length_is_followed_byte_by_byte_to_its_end_and_no_further() {
        for (int length : List.of(0, 1, 125, 126, 65_535, 65_536)) {
            for (boolean masked : List.of(false, true)) {
                var frame = frame(length, masked);
                var frames = new Frames();
                for (int i = 0; i < frame.length() - 1; i++) {
                    frames.pass(frame.slice(i, i + 1));
                    assertThat(frames.atEnd()).isFalse();
                }
                frames.pass(frame.slice(frame.length() - 1, frame.length()));
                assertThat(frames.atEnd()).isTrue();
            }
        }
    }

    @Test
    void several_in_one_piece_end_where_the_last_ends() {
        var frames = new Frames();
        frames.pass(Buffer.buffer().appendBuffer(frame(3, false)).appendBuffer(frame(200, false)));
        assertThat(frames.atEnd()).isTrue();

        frames.pass(Buffer.buffer()
                .appendBuffer(frame(3, false))
                .appendBuffer(frame(200, false).slice(0, 100)));
        assertThat(frames.atEnd()).isFalse();
    }

    private static Buffer frame(int length, boolean masked) {
        int mask = masked ? 0x80 : 0;
        var frame = Buffer.buffer().appendByte((byte) 0x82);
        if (length < 126) {
            frame.appendByte((byte) (mask | length));
        } else if (length < 65_536) {
            frame.appendByte((byte) (mask | 126)).appendShort((short) length);
        } else {
            frame.appendByte((byte) (mask | 127)).appendLong(length);
        }
        return frame.appendBytes(new byte[(masked ? 4 : 0) + length]);
    }
}
