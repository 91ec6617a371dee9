package ai.molecule.proxy.models;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import org.junit.jupiter.api.Test;

/** The data of a server-sent event, however its lines end. */
class ReadingEventsTest {

    @Test
    void one_line_with_and_without_a_blank_and_beside_others() {
        assertThat(read("data: {\"a\":\"\u00e9\"}\n\n")).isEqualTo("{\"a\":\"\u00e9\"}");
        assertThat(read("event: x\r\ndata:{\"a\":1}\r\nid: 7\r\n\r\n")).isEqualTo("{\"a\":1}");
    }

    @Test
    void several_lines_are_one_text() {
        assertThat(read("data: {\"a\":\rdata: 1,\rdata:\"b\":2}\r\r")).isEqualTo("{\"a\":1,\"b\":2}");
    }

    @Test
    void what_is_no_object_is_nothing() {
        for (String event :
                new String[] {"data: [DONE]\n\n", ": {}\n\n", "data:\n\n", "dat", "", "data: {\"a\"\n\n", "\n"}) {
            assertThat(EventData.of(Buffer.buffer(event))).as(event).isNull();
        }
    }

    private static String read(String event) {
        return String.valueOf(EventData.of(Buffer.buffer(event)));
    }
}
