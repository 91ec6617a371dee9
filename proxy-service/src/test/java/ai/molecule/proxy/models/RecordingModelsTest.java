package ai.molecule.proxy.models;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls that are recorded once and answered without their provider ever after. */
@ExtendWith(VertxExtension.class)
class RecordingModelsTest {

    private static final String ASKED =
            "{\"model\":\"fake:m\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"ask %s at /workspace/%s/a.txt, key sk-live-0123456789abcdef\"}]}";
    private static final String FIRST = "0d9f7a52-6c1b-4f7a-9a70-111111111111";
    private static final String SECOND = "0d9f7a52-6c1b-4f7a-9a70-222222222222";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    /** A platform of its own: on one bus the two would answer each other's calls. */
    private final Vertx later = Vertx.vertx();

    @AfterEach
    void closeLater() {
        later.close().await();
    }

    @Test
    void a_recorded_stream_is_replayed_without_network_and_key_and_with_the_ids_of_now(Vertx vertx) throws IOException {
        var recording = door(vertx, "record");
        recording.provider.saysEvents(
                "data: {\"choices\":[{\"delta\":{\"content\":\"I ask " + FIRST + "\"}}]}\n\n",
                "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":5}}\n\n",
                "data: [DONE]\n\n");
        var recorded = recording.ask(DoorUnderTest.CHAT, ASKED.formatted(FIRST, FIRST));

        var replaying = door(later, "replay");
        replaying.proxy.platform.secrets.clear();
        var replayed = replaying.ask(DoorUnderTest.CHAT, ASKED.formatted(SECOND, SECOND));

        assertThat(recorded.statusCode()).isEqualTo(200);
        assertThat(replayed.bodyAsString())
                .isEqualTo(recorded.bodyAsString().replace(FIRST, SECOND))
                .contains(SECOND);
        assertThat(replaying.provider.asked).isEmpty();
        assertThat(replaying.row().getLong("tokens_out")).isEqualTo(5);
    }

    @Test
    void a_cassette_is_text_without_secrets(Vertx vertx) throws IOException {
        var recording = door(vertx, "record");
        recording.provider.saysWhole("{\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":5}}");
        recording.ask(DoorUnderTest.CHAT, ASKED.formatted(FIRST, FIRST).replace("true", "false"));

        assertThat(cassettes()).singleElement().satisfies(file -> {
            assertThat(file.getFileName().toString()).startsWith("fake-chat-completions-");
            assertThat(Files.readString(file))
                    .startsWith("== request fake /chat/completions ")
                    .contains("\"content\" : \"ask <id-1> at <path-1>, key ***\"", "== answer 200 application/json")
                    .doesNotContain("sk-live", DoorUnderTest.KEY, FIRST);
            assertThat(Cassette.read(Files.readString(file)).write()).isEqualTo(Files.readString(file));
        });
    }

    @Test
    void the_same_question_again_has_its_answers_in_their_order(Vertx vertx) throws IOException {
        var recording = door(vertx, "record");
        for (String answer : List.of("one", "two")) {
            recording.provider.saysWhole("{\"answer\":\"" + answer + "\"}");
            recording.ask(DoorUnderTest.CHAT, "{\"model\":\"fake:m\"}");
        }

        var replaying = door(later, "replay");

        for (String answer : List.of("one", "two", "two")) {
            assertThat(replaying
                            .ask(DoorUnderTest.CHAT, "{\"model\":\"fake:m\"}")
                            .bodyAsString())
                    .contains(answer);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_call_that_was_translated_is_replayed_in_its_callers_protocol(boolean streams, Vertx vertx)
            throws IOException {
        String asked =
                "{\"model\":\"openai:m\",\"max_tokens\":900,\"stream\":%s,\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}"
                        .formatted(streams);
        var recording = door(vertx, "record");
        recording.provider.answer = response -> FakeModels.answer(recording.provider.asked.getLast(), response);
        var recorded = recording.ask(DoorUnderTest.MESSAGES, asked);

        var replaying = door(later, "replay");
        replaying.proxy.platform.secrets.clear();
        var replayed = replaying.ask(DoorUnderTest.MESSAGES, asked);

        assertThat(recorded.statusCode()).as(recorded.bodyAsString()).isEqualTo(200);
        assertThat(cassettes())
                .singleElement()
                .satisfies(file -> assertThat(file.getFileName().toString()).startsWith("openai-chat-completions-"));
        assertThat(replayed.statusCode()).as(replayed.bodyAsString()).isEqualTo(200);
        assertThat(replayed.bodyAsString())
                .isEqualTo(recorded.bodyAsString())
                .contains("\"type\":\"text", streams ? "\"text\":\"he\"" : "\"text\":\"hello\"");
        assertThat(replaying.provider.asked).isEmpty();
        assertThat(replaying.row().getLong("tokens_out")).isEqualTo(5);
    }

    @Test
    void a_miss_names_the_nearest_recording_and_its_difference(Vertx vertx) throws IOException {
        var recording = door(vertx, "record");
        recording.ask(DoorUnderTest.CHAT, "{\"model\":\"fake:m\",\"temperature\":0}");
        var replaying = door(later, "replay");

        var missed = replaying.ask(DoorUnderTest.CHAT, "{\"model\":\"fake:m\",\"temperature\":1}");
        var unknown = replaying.ask(DoorUnderTest.MESSAGES, "{\"model\":\"fake:m\"}");

        assertThat(missed.statusCode()).isEqualTo(404);
        assertThat(missed.bodyAsJsonObject().getJsonObject("error").getString("message"))
                .contains(cassettes().getFirst().getFileName().toString())
                .contains("-   \"temperature\" : 0", "+   \"temperature\" : 1");
        assertThat(unknown.bodyAsJsonObject().getJsonObject("error").getString("message"))
                .contains("there is none of /v1/messages: record it first");
        assertThat(replaying.provider.asked).isEmpty();
    }

    @Test
    void a_difference_deep_in_a_long_text_is_shown_with_what_stands_before_it(Vertx vertx) throws IOException {
        String asked = "{\"model\":\"fake:m\",\"system\":\"" + "the same words ".repeat(100) + "status: %s%s\"}";
        var recording = door(vertx, "record");
        recording.ask(DoorUnderTest.CHAT, asked.formatted("online", "x".repeat(500)));
        var replaying = door(later, "replay");

        var missed = replaying.ask(DoorUnderTest.CHAT, asked.formatted("offline", "x".repeat(500)));

        assertThat(missed.bodyAsJsonObject().getJsonObject("error").getString("message"))
                .contains("- …", "the same words status: onlinexxx", "+ …", "the same words status: offlinexxx")
                .hasSizeLessThan(1_000);
    }

    private DoorUnderTest door(Vertx vertx, String mode) {
        return new DoorUnderTest(
                vertx, folder, limits -> limits, "MOLECULE_MODELS", mode, "MOLECULE_CASSETTES", tapes().toString());
    }

    private Path tapes() {
        return folder.resolve("tapes");
    }

    private List<Path> cassettes() throws IOException {
        try (var files = Files.list(tapes())) {
            return files.toList();
        }
    }
}
