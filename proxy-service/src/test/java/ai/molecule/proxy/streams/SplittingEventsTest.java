package ai.molecule.proxy.streams;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** However a stream is cut into chunks, the same events come out and no byte is lost. */
class SplittingEventsTest {

    @Property(tries = 500)
    void every_byte_is_kept_in_order(@ForAll("streams") List<String> chunks) {
        var out = new StringBuilder();
        var splitter = new SseSplitter(1 << 20);

        chunks.forEach(chunk -> splitter.feed(Buffer.buffer(chunk), event -> out.append(event)));

        assertThat(out.append(splitter.rest()).toString()).isEqualTo(String.join("", chunks));
    }

    @Property(tries = 200)
    void an_event_ends_with_its_blank_line_wherever_the_chunks_are_cut(@ForAll("cuts") int cut) {
        String stream = "data: 1\n\ndata: 2\n\n: c\n\n";
        var events = new ArrayList<String>();
        var splitter = new SseSplitter(1 << 20);

        splitter.feed(Buffer.buffer(stream.substring(0, cut)), event -> events.add(event.toString()));
        splitter.feed(Buffer.buffer(stream.substring(cut)), event -> events.add(event.toString()));

        assertThat(events).containsExactly("data: 1\n\n", "data: 2\n\n", ": c\n\n");
    }

    @Example
    void carriage_returns_end_lines_too() {
        var events = new ArrayList<String>();

        new SseSplitter(100).feed(Buffer.buffer("a\r\n\r\nb\r\rc\n\n"), event -> events.add(event.toString()));

        assertThat(events).containsExactly("a\r\n\r\n", "b\r\r", "c\n\n");
    }

    @Example
    void a_byte_order_mark_is_no_part_of_the_first_event() {
        var events = new ArrayList<String>();
        var splitter = new SseSplitter(100);

        "\ufeffdata: a\n\n\ufeffdata: b\n\n"
                .chars()
                .forEach(c ->
                        splitter.feed(Buffer.buffer(Character.toString(c)), event -> events.add(event.toString())));

        assertThat(events).containsExactly("data: a\n\n", "\ufeffdata: b\n\n");
        var only = new SseSplitter(100);
        only.feed(Buffer.buffer("\ufeffdata: a"), event -> {});
        assertThat(only.rest().toString()).isEqualTo("data: a");
    }

    @Example
    void an_event_past_the_bound_is_noticed() {
        assertThat(new SseSplitter(10).feed(Buffer.buffer("data: 12345"), event -> {}))
                .isFalse();
    }

    @Provide
    Arbitrary<List<String>> streams() {
        return Arbitraries.of("\n", "\r", "\r\n", "a", "data: x", "\n\n", "é")
                .list()
                .ofMaxSize(20);
    }

    @Provide
    Arbitrary<Integer> cuts() {
        return Arbitraries.integers().between(0, 22);
    }
}
