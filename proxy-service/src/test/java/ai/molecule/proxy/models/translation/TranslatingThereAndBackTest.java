package ai.molecule.proxy.models.translation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.json.Json;
import ai.molecule.common.models.ModelUsage;
import ai.molecule.proxy.models.translation.NeutralAnswer.Stop;
import ai.molecule.proxy.models.translation.NeutralEvent.ArgumentsPiece;
import ai.molecule.proxy.models.translation.NeutralEvent.Begin;
import ai.molecule.proxy.models.translation.NeutralEvent.CallBegin;
import ai.molecule.proxy.models.translation.NeutralEvent.End;
import ai.molecule.proxy.models.translation.NeutralEvent.TextPiece;
import ai.molecule.proxy.models.translation.NeutralRequest.Choice;
import ai.molecule.proxy.models.translation.NeutralRequest.Format;
import ai.molecule.proxy.models.translation.NeutralRequest.Image;
import ai.molecule.proxy.models.translation.NeutralRequest.Part;
import ai.molecule.proxy.models.translation.NeutralRequest.Role;
import ai.molecule.proxy.models.translation.NeutralRequest.Text;
import ai.molecule.proxy.models.translation.NeutralRequest.Tool;
import ai.molecule.proxy.models.translation.NeutralRequest.ToolCall;
import ai.molecule.proxy.models.translation.NeutralRequest.ToolResult;
import ai.molecule.proxy.models.translation.NeutralRequest.Turn;
import ai.molecule.proxy.models.translation.SpokenProtocol.Telling;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;

/** What all three protocols can say is the same after it was said in any of them, and after it was said in two and came back. */
class TranslatingThereAndBackTest {

    private static final Telling TELLING = new Telling(true, () -> new ModelUsage(6, 4, 0, 0, 5, 1), 1_700_000_000);

    @Property(tries = 300)
    void a_request_said_in_a_protocol_and_read_again_is_the_same(
            @ForAll("requests") NeutralRequest request, @ForAll SpokenProtocol protocol) {
        byte[] body = Json.bytes(protocol.writeRequest(request, "max_tokens"));

        var read = protocol.readRequest(TreeReader.read(body).orElseThrow());

        assertThat(told(read)).isEqualTo(request);
    }

    @Property(tries = 300)
    void a_request_translated_there_and_back_has_the_same_bytes(
            @ForAll("requests") NeutralRequest request, @ForAll SpokenProtocol one, @ForAll SpokenProtocol other) {
        byte[] body = Json.bytes(one.writeRequest(request, "max_tokens"));

        byte[] there = RequestTranslation.of(body, one, other, "max_tokens").body();
        byte[] back = RequestTranslation.of(there, other, one, "max_tokens").body();

        assertThat(new String(back, UTF_8)).isEqualTo(new String(body, UTF_8));
    }

    @Property(tries = 300)
    void an_answer_said_in_a_protocol_and_read_again_is_the_same(
            @ForAll("answers") NeutralAnswer answer, @ForAll SpokenProtocol protocol) {
        byte[] body = Json.bytes(protocol.writeAnswer(answer, TELLING));

        assertThat(protocol.readAnswer(TreeReader.read(body).orElseThrow())).isEqualTo(answer);
    }

    @Property(tries = 300)
    void a_stream_said_in_a_protocol_and_read_again_comes_to_the_same_answer(
            @ForAll("answers") NeutralAnswer answer,
            @ForAll SpokenProtocol one,
            @ForAll SpokenProtocol other,
            @ForAll("sizes") int size) {
        var said = pieces(answer, size);

        var there = read(one, write(one, said));
        var back = read(other, write(other, there));

        assertThat(whole(there)).isEqualTo(answer);
        assertThat(whole(back)).isEqualTo(answer);
    }

    /** Whether a usage is to be told stands in no request that the door writes. */
    private static NeutralRequest told(NeutralRequest read) {
        return new NeutralRequest(
                read.model(),
                read.system(),
                read.turns(),
                read.tools(),
                read.choice(),
                read.oneToolAtATime(),
                read.outputMax(),
                read.temperature(),
                read.topP(),
                read.stops(),
                read.format(),
                read.streams(),
                false);
    }

    private static List<NeutralEvent> pieces(NeutralAnswer answer, int size) {
        List<NeutralEvent> events = new ArrayList<>();
        events.add(new Begin(answer.id(), answer.model()));
        for (var part : answer.parts()) {
            if (part instanceof Text text) {
                cut(text.text(), size).forEach(piece -> events.add(new TextPiece(piece)));
            } else if (part instanceof ToolCall call) {
                events.add(new CallBegin(call.id(), call.name()));
                cut(call.arguments(), size).forEach(piece -> events.add(new ArgumentsPiece(piece)));
            }
        }
        events.add(new End(answer.stop()));
        return events;
    }

    private static List<String> cut(String text, int size) {
        return IntStream.range(0, (text.length() + size - 1) / size)
                .mapToObj(nth -> text.substring(nth * size, Math.min(text.length(), (nth + 1) * size)))
                .toList();
    }

    private static String write(SpokenProtocol protocol, List<NeutralEvent> events) {
        var out = new StringBuilder();
        var writer = protocol.eventWriter(TELLING);
        events.forEach(event -> writer.write(event, out));
        return out.toString();
    }

    private static List<NeutralEvent> read(SpokenProtocol protocol, String stream) {
        List<NeutralEvent> events = new ArrayList<>();
        var reader = protocol.eventReader();
        for (String event : stream.split("\n\n")) {
            String data = event.substring(event.indexOf("data: ") + "data: ".length());
            if (!data.equals("[DONE]")) {
                reader.read(TreeReader.read(data.getBytes(UTF_8)).orElseThrow(), events::add);
            }
        }
        reader.ends(events::add);
        return events;
    }

    private static NeutralAnswer whole(List<NeutralEvent> events) {
        List<Part> parts = new ArrayList<>();
        String id = "";
        String model = "";
        var stop = Stop.REFUSED;
        for (var event : events) {
            Part last = parts.isEmpty() ? null : parts.getLast();
            switch (event) {
                case Begin begin -> {
                    id = begin.id();
                    model = begin.model();
                }
                case TextPiece piece -> {
                    String before = last instanceof Text text ? text.text() : "";
                    if (last instanceof Text) {
                        parts.removeLast();
                    }
                    parts.add(new Text(before + piece.text()));
                }
                case CallBegin begin -> parts.add(new ToolCall(begin.id(), begin.name(), ""));
                case ArgumentsPiece piece -> {
                    if (parts.removeLast() instanceof ToolCall call) {
                        parts.add(new ToolCall(call.id(), call.name(), call.arguments() + piece.json()));
                    }
                }
                case End end -> stop = end.stop();
            }
        }
        return new NeutralAnswer(id, model, List.copyOf(parts), stop);
    }

    @Provide
    Arbitrary<Integer> sizes() {
        return Arbitraries.integers().between(1, 9);
    }

    @Provide
    Arbitrary<NeutralAnswer> answers() {
        var texts = text().map(text -> (Part) new Text(text)).list().ofMaxSize(1);
        var calls = calls().list().ofMaxSize(3).uniqueElements(call -> ((ToolCall) call).id());
        return Combinators.combine(texts, calls, Arbitraries.of(Stop.DONE, Stop.LENGTH, Stop.REFUSED))
                .as((said, called, stop) -> new NeutralAnswer(
                        "id1",
                        "m",
                        Stream.concat(said.stream(), called.stream()).toList(),
                        called.isEmpty() || stop != Stop.DONE ? stop : Stop.CALLS_TOOLS));
    }

    @Provide
    Arbitrary<NeutralRequest> requests() {
        var system = text().list().ofMaxSize(3);
        var numbers = Combinators.combine(
                        Arbitraries.integers().between(0, 99).injectNull(0.5),
                        Arbitraries.integers().between(1, 99).injectNull(0.5),
                        Arbitraries.longs().between(1, 100_000))
                .as((temperature, top, most) -> new Numbers(part(temperature), part(top), most));
        var format = schema().map(schema -> new Format("answer", schema, true)).injectNull(0.8);
        return Combinators.combine(system, turns(), toolBox(), numbers, format, Arbitraries.of(true, false))
                .as((instructions, turns, box, some, wanted, streams) -> new NeutralRequest(
                        "m",
                        instructions,
                        turns,
                        box.tools,
                        box.tools.isEmpty() ? null : box.choice,
                        box.one && !box.tools.isEmpty() && !Choice.NONE.equals(box.choice),
                        some.most,
                        some.temperature,
                        some.top,
                        List.of(),
                        wanted,
                        streams,
                        false));
    }

    private record Numbers(
            @Nullable BigDecimal temperature, @Nullable BigDecimal top, long most) {}

    private record ToolBox(List<Tool> tools, @Nullable Choice choice, boolean one) {}

    private static @Nullable BigDecimal part(@Nullable Integer hundredths) {
        return hundredths == null ? null : BigDecimal.valueOf(hundredths, 2).stripTrailingZeros();
    }

    /** Begun by either side; results before what else a user says, calls behind what else an assistant does. */
    private static Arbitrary<List<Turn>> turns() {
        var text = text().map(said -> (Part) new Text(said));
        var image = Arbitraries.of(
                        "https://example.org/a.png?b=1",
                        "data:image/png;base64,iVBORw0KGgo=",
                        "data:image/jpeg;base64,/9j/4A==")
                .map(url -> (Part) new Image(url));
        var results = Combinators.combine(id(), text.list().ofMinSize(1).ofMaxSize(2))
                .as((id, content) -> (Part) new ToolResult(id, content));
        var user = Combinators.combine(
                        results.list().ofMaxSize(2),
                        Arbitraries.oneOf(text, image).list().ofMinSize(1).ofMaxSize(3))
                .as(TranslatingThereAndBackTest::both);
        var assistant = Combinators.combine(
                        text.list().ofMinSize(1).ofMaxSize(2), calls().list().ofMaxSize(2))
                .as(TranslatingThereAndBackTest::both);
        return Combinators.combine(
                        Arbitraries.integers().between(0, 5),
                        Arbitraries.of(Role.values()),
                        user.list().ofSize(5),
                        assistant.list().ofSize(5))
                .as((count, first, users, assistants) -> IntStream.range(0, count)
                        .mapToObj(nth -> {
                            var role = (nth % 2 == 0) == (first == Role.USER) ? Role.USER : Role.ASSISTANT;
                            return new Turn(role, role == Role.USER ? users.get(nth) : assistants.get(nth));
                        })
                        .toList());
    }

    private static List<Part> both(List<Part> first, List<Part> then) {
        return Stream.concat(first.stream(), then.stream()).toList();
    }

    private static Arbitrary<Part> calls() {
        var arguments = Combinators.combine(text(), Arbitraries.integers())
                .as((text, number) -> Json.text(
                        Json.object().put("at", text).put("deep", number).set("in", Json.object())));
        return Combinators.combine(id(), name(), arguments).as(ToolCall::new);
    }

    private static Arbitrary<ToolBox> toolBox() {
        var tools = Combinators.combine(name(), text().injectNull(0.3), schema(), Arbitraries.of(true, false))
                .as(Tool::new);
        var choice = Arbitraries.of(Choice.ANY, Choice.NONE, new Choice(true, "look"))
                .injectNull(0.4);
        return Combinators.combine(tools.list().ofMaxSize(3), choice, Arbitraries.of(true, false))
                .as(ToolBox::new);
    }

    private static Arbitrary<ObjectNode> schema() {
        return name().map(name -> {
            var schema = Json.object().put("type", "object");
            schema.putObject("properties").putObject(name).put("type", "string");
            return schema;
        });
    }

    private static Arbitrary<String> id() {
        return Arbitraries.strings()
                .alpha()
                .numeric()
                .withChars('_', '-')
                .ofMinLength(1)
                .ofMaxLength(20);
    }

    private static Arbitrary<String> name() {
        return Arbitraries.strings().alpha().ofMinLength(1).ofMaxLength(10);
    }

    /** As people write, and as programs do. */
    private static Arbitrary<String> text() {
        return Arbitraries.strings()
                .alpha()
                .withChars(" \n\r\t\"\\{}[]:,äß漢字")
                .ofMinLength(1)
                .ofMaxLength(30);
    }
}
