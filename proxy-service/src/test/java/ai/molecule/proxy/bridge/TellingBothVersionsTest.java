package ai.molecule.proxy.bridge;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.json.Json;
import ai.molecule.proxy.protocol.Protocol;
import ai.molecule.proxy.protocol.TaskState;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** What 0.3 can say comes back from 1.0 as it was. */
class TellingBothVersionsTest {

    private static final UUID TARGET = UUID.fromString("00000000-0000-0000-0000-000000000001");

    @Property(tries = 500)
    void a_message_of_0_3_is_the_same_after_a_way_through_1_0(@ForAll("messages") ObjectNode message) {
        ObjectNode request = Json.object().put("jsonrpc", "2.0").put("id", 7).put("method", "message/send");
        request.putObject("params").set("message", message);
        request.withObjectProperty("params").putObject("configuration").put("blocking", false);

        JsonNode in10 = crossed(request, Protocol.V0_3);

        assertThat(in10.path("method").asText()).isEqualTo("SendMessage");
        assertThat(in10.toString()).doesNotContain("\"kind\"").doesNotContain("\"mimeType\"");
        assertThat(crossed(in10, Protocol.V1_0)).isEqualTo(request);
    }

    @Property(tries = 500)
    void an_event_of_0_3_is_the_same_after_a_way_through_1_0(@ForAll("results") ObjectNode result) {
        ObjectNode event = Json.object().put("jsonrpc", "2.0").put("id", "a");
        event.set("result", result);

        JsonNode in10 = Json.stored(text(Bridge.event(2, Json.bytes(event), Protocol.V1_0)));

        assertThat(in10.path("result").size())
                .as("one member, which says what it is")
                .isOne();
        assertThat(Json.stored(text(Bridge.event(2, Json.bytes(in10), Protocol.V0_3))))
                .isEqualTo(event);
    }

    @Property(tries = 200)
    void an_error_of_0_3_is_the_same_after_a_way_through_1_0(@ForAll("errors") ObjectNode error) {
        ObjectNode event = Json.object().put("jsonrpc", "2.0").put("id", "a");
        event.set("error", error);

        String in10 = text(Bridge.event(2, Json.bytes(event), Protocol.V1_0));

        assertThat(Json.stored(text(Bridge.event(2, in10.getBytes(UTF_8), Protocol.V0_3))))
                .isEqualTo(event);
    }

    @Example
    void every_state_is_told_in_both_also_by_its_number() {
        for (TaskState state : TaskState.values()) {
            assertThat(Bridge.status("{\"state\":\"" + state.wire() + "\"}", Protocol.V1_0))
                    .isEqualTo("{\"state\":\"" + state.wireOf10() + "\"}");
        }
        assertThat(text(Bridge.event(
                        2,
                        "{\"result\":{\"task\":{\"id\":\"t\",\"status\":{\"state\":7}}}}".getBytes(UTF_8),
                        Protocol.V0_3)))
                .contains("\"state\":\"rejected\"");
    }

    private static String text(List<byte[]> events) {
        assertThat(events).hasSize(1);
        return new String(events.getFirst(), UTF_8);
    }

    private static JsonNode crossed(JsonNode request, Protocol caller) {
        var crossing = Bridge.of(Json.bytes(request), Map.of(), caller, TARGET);
        assertThat(crossing).isInstanceOf(Bridge.Crossing.Made.class);
        return Json.stored(new String(((Bridge.Crossing.Made) crossing).bridge().request(), UTF_8));
    }

    @Provide
    Arbitrary<ObjectNode> messages() {
        return Combinators.combine(words(), words(), parts(), Arbitraries.of("user", "agent"), some(metadata()))
                .as((id, context, parts, role, metadata) -> {
                    ObjectNode message = Json.object()
                            .put("kind", "message")
                            .put("messageId", id)
                            .put("role", role);
                    message.set("parts", parts);
                    message.put("contextId", context)
                            .putArray("referenceTaskIds")
                            .add("t-0");
                    metadata.forEach(one -> message.set("metadata", one));
                    return message;
                });
    }

    @Provide
    Arbitrary<ObjectNode> results() {
        var statuses = Combinators.combine(Arbitraries.of(TaskState.values()), some(messages()))
                .as((state, message) -> {
                    ObjectNode status = Json.object().put("state", state.wire());
                    message.forEach(one -> status.set("message", one));
                    return status.put("timestamp", "2026-11-23T10:00:00Z");
                });
        var artifacts = Combinators.combine(words(), parts(), some(metadata())).as((id, parts, metadata) -> {
            ObjectNode artifact = Json.object().put("artifactId", id).put("name", "a");
            artifact.set("parts", parts);
            metadata.forEach(one -> artifact.set("metadata", one));
            return artifact;
        });
        Arbitrary<ObjectNode> tasks = Combinators.combine(
                        words(), statuses, artifacts.list().ofMaxSize(2), messages())
                .as((id, status, made, said) -> {
                    ObjectNode task =
                            Json.object().put("kind", "task").put("id", id).put("contextId", "c");
                    task.set("status", status);
                    ArrayNode list = task.putArray("artifacts");
                    made.forEach(list::add);
                    task.putArray("history").add(said);
                    return task;
                });
        Arbitrary<ObjectNode> updates = statuses.map(status -> {
            ObjectNode update = Json.object()
                    .put("kind", "status-update")
                    .put("taskId", "t")
                    .put("contextId", "c");
            update.set("status", status);
            var state = TaskState.ofWire(status.path("state").asText()).orElseThrow();
            boolean ends = state.isFinal() || state == TaskState.INPUT_REQUIRED || state == TaskState.AUTH_REQUIRED;
            return update.put("final", ends);
        });
        Arbitrary<ObjectNode> chunks = artifacts.map(artifact -> {
            ObjectNode update = Json.object()
                    .put("kind", "artifact-update")
                    .put("taskId", "t")
                    .put("contextId", "c");
            update.set("artifact", artifact);
            return update.put("append", true).put("lastChunk", false);
        });
        return Arbitraries.oneOf(tasks, updates, chunks, messages());
    }

    @Provide
    Arbitrary<ObjectNode> errors() {
        return Combinators.combine(
                        Arbitraries.of(
                                -32700, -32601, -32602, -32603, -32001, -32002, -32003, -32004, -32005, -32006, -32007,
                                -1),
                        words(),
                        Arbitraries.of("null", "\"s\"", "{\"field\":\"x\",\"n\":1.10}", "[1,2]", "3"))
                .as((code, message, data) -> {
                    ObjectNode error = Json.object().put("code", code).put("message", message);
                    JsonNode given = Json.stored(data);
                    return given.isNull() ? error : error.set("data", given);
                });
    }

    private Arbitrary<ArrayNode> parts() {
        var text = words().map(word -> Json.object().put("kind", "text").put("text", word));
        var data = metadata()
                .map(object -> (ObjectNode) Json.object().put("kind", "data").set("data", object));
        var file = Combinators.combine(words(), Arbitraries.of(true, false), Arbitraries.of(0, 1, 2))
                .as((word, linked, more) -> {
                    ObjectNode part = Json.object().put("kind", "file");
                    ObjectNode content = part.putObject("file").put(linked ? "uri" : "bytes", word);
                    if (more > 0) {
                        content.put("name", "n " + word).put("mimeType", "text/plain");
                    }
                    return more == 2 ? part.set("metadata", Json.object().put("m", 1)) : part;
                });
        return Arbitraries.<ObjectNode>oneOf(text, data, file)
                .list()
                .ofMinSize(1)
                .ofMaxSize(3)
                .map(parts -> {
                    ArrayNode list = Json.MAPPER.createArrayNode();
                    parts.forEach(list::add);
                    return list;
                });
    }

    private static Arbitrary<ObjectNode> metadata() {
        return Arbitraries.of("{\"a\":1.10}", "{\"value\":[null,{}]}", "{\"deep\":{\"é\":\"\\u0000\"}}")
                .map(json -> (ObjectNode) Json.stored(json));
    }

    private static <T> Arbitrary<List<T>> some(Arbitrary<T> arbitrary) {
        return arbitrary.list().ofMaxSize(1);
    }

    private static Arbitrary<String> words() {
        return Arbitraries.strings()
                .alpha()
                .numeric()
                .withChars('é', '"', '\\', '\n')
                .ofMinLength(1)
                .ofMaxLength(12);
    }
}
