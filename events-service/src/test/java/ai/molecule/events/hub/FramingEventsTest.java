package ai.molecule.events.hub;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.events.Event;
import ai.molecule.common.json.Json;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bytes of a WebSocket message as a server sends it (RFC 6455, 5.2). */
class FramingEventsTest {

    private static final int FRAGMENT_MAX = 65_536;

    @ParameterizedTest
    @ValueSource(ints = {0, 10, 65_300, 65_350, 65_400, 131_000, 200_000})
    void a_message_of_any_length_arrives_whole(int more) {
        var event = event("→".repeat(more / 3) + "x".repeat(more % 3));

        assertThat(read(new Frame(event).socketBytes())).isEqualTo(Json.text(event.toEnvelope()));
    }

    @Test
    void an_emoji_is_sent_as_itself_and_half_of_one_harms_nothing() {
        assertThat(read(new Frame(event("😀")).socketBytes())).contains("\"message\":\"😀\"");
        assertThat(Json.stored(read(new Frame(event("a\ud83d")).socketBytes()))
                        .at("/payload/message")
                        .asText())
                .startsWith("a");
    }

    private static Event event(String text) {
        return new Event(
                7L,
                "AGENT_MESSAGE",
                new UUID(1, 2),
                Instant.EPOCH,
                Json.object().put("message", text));
    }

    private static String read(byte[] bytes) {
        var message = ByteBuffer.wrap(bytes);
        var text = new ByteArrayOutputStream();
        boolean last = false;
        for (int i = 0; !last; i++) {
            int first = message.get() & 0xff;
            assertThat(first & 0x0f).isEqualTo(i == 0 ? 1 : 0);
            last = (first & 0x80) != 0;
            int length = message.get();
            length = length == 126 ? message.getShort() & 0xffff : length == 127 ? (int) message.getLong() : length;
            assertThat(length).isBetween(1, FRAGMENT_MAX);
            var part = new byte[length];
            message.get(part);
            text.writeBytes(part);
        }
        assertThat(message.hasRemaining()).isFalse();
        return text.toString(StandardCharsets.UTF_8);
    }
}
