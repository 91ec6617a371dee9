package ai.molecule.proxy.streams;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** An event is taken over without its agent's id, and speaks to whoever reads it. */
class EventTextTest {

    @Test
    void ids_and_comments_go_and_everything_else_stays() {
        assertThat(withoutId("id: 7\r\nevent: x\r\n:note\r\ndata: a\r\ndata:b\r\nidle: 1\r\n\r\n"))
                .isEqualTo("event: x\ndata: a\ndata:b\nidle: 1\n\n");
        assertThat(withoutId("id\rdata\r\r")).isEqualTo("data\n\n");
    }

    @Test
    void what_has_no_data_is_no_event() {
        assertThat(withoutId(": ping\n\n")).isEmpty();
        assertThat(withoutId("id: 3\nretry: 5\n\n")).isEmpty();
        assertThat(withoutId("\n")).isEmpty();
    }

    @Test
    void data_lines_are_joined_without_their_first_blank() {
        assertThat(new String(EventText.data(Buffer.buffer("data: {\"a\":\ndata:1}\n\n"))))
                .isEqualTo("{\"a\":\n1}");
    }

    @Test
    void another_request_reads_its_own_id() {
        assertThat(answering("data: {\"jsonrpc\":\"2.0\",\"id\":\"one\",\"result\":{\"id\":5}}\n\n", "22"))
                .isEqualTo("data: {\"jsonrpc\":\"2.0\",\"id\":22,\"result\":{\"id\":5}}\n\n");
        assertThat(answering("data: plain\n\n", "2")).isEqualTo("data: plain\n\n");
        assertThat(answering("data: {\"id\":\ndata: 1,\ndata:\"n\":1.10}\n\n", "\"two\""))
                .isEqualTo("data: {\"id\":\ndata: \"two\",\ndata: \"n\":1.10}\n\n");
        assertThat(answering("retry: 5\ndata: {\"id\":1}\nevent: x\n\n", "2"))
                .isEqualTo("retry: 5\nevent: x\ndata: {\"id\":2}\n\n");
    }

    @Test
    void a_position_is_read_back_as_it_was_written_and_nothing_else_is_one() {
        var cursor = new Cursor(UUID.randomUUID(), 3, 17);

        assertThat(Cursor.parse(cursor.text())).contains(cursor);
        assertThat(Cursor.parse("")).isEmpty();
        assertThat(Cursor.parse("17")).isEmpty();
        assertThat(Cursor.parse(cursor.text() + "0123456789")).isEmpty();
    }

    private static String withoutId(String event) {
        return EventText.withoutId(Buffer.buffer(event)).toString();
    }

    private static String answering(String event, String rpcId) {
        return EventText.answering(Buffer.buffer(event), rpcId).toString();
    }
}
