package ai.molecule.runtime.a2a;

import static ai.molecule.runtime.a2a.AgentUnderTest.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A message in the words of the other version says the same. */
class TranslatingMessagesTest {

    private static final int MESSAGES = 2_000;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{\"kind\":\"text\",\"text\":\"hi\"} | {\"text\":\"hi\"}",
                "{\"kind\":\"text\",\"text\":\"hi\",\"filename\":\"a.md\",\"mediaType\":\"text/markdown\"} | {\"text\":\"hi\",\"filename\":\"a.md\",\"mediaType\":\"text/markdown\"}",
                "{\"kind\":\"file\",\"file\":{\"uri\":\"u\",\"name\":\"n\",\"mimeType\":\"m/t\"}} | {\"url\":\"u\",\"filename\":\"n\",\"mediaType\":\"m/t\"}",
                "{\"kind\":\"file\",\"file\":{\"bytes\":\"AA==\"}} | {\"raw\":\"AA==\"}",
                "{\"kind\":\"data\",\"data\":{\"a\":[1,null]},\"metadata\":{\"b\":2}} | {\"data\":{\"a\":[1,null]},\"metadata\":{\"b\":2}}",
                "{\"kind\":\"data\",\"data\":{\"value\":[1]},\"metadata\":{\"data_part_compat\":true,\"b\":2}} | {\"data\":[1],\"metadata\":{\"b\":2}}",
                "{\"kind\":\"data\",\"data\":{\"value\":null},\"metadata\":{\"data_part_compat\":true}} | {\"data\":null}",
            })
    void each_part_has_its_pair(String older, String newer) {
        ObjectNode was = message("user", older);

        ObjectNode is = MessageForms.to10(was);

        assertThat(is.at("/parts/0")).isEqualTo(json(newer));
        assertThat(is.path("role").asText()).isEqualTo("ROLE_USER");
        assertThat(MessageForms.to03(is).at("/parts/0")).isEqualTo(json(older));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{\"type\":\"text\",\"text\":\"hi\"} | {\"text\":\"hi\"}",
                "{\"root\":{\"kind\":\"text\",\"text\":\"hi\"}} | {\"text\":\"hi\"}",
                "{\"kind\":\"dance\",\"step\":1} | {\"data\":{\"kind\":\"dance\",\"step\":1}}",
                "{} | {\"data\":{}}",
            })
    void what_older_clients_sent_is_told_too(String older, String newer) {
        assertThat(MessageForms.to10(message("agent", older)).at("/parts/0")).isEqualTo(json(newer));
    }

    @Test
    void there_and_back_again_nothing_is_lost_that_0_3_can_say() {
        for (int seed = 0; seed < MESSAGES; seed++) {
            ObjectNode message = anyMessage(new Random(seed));

            assertThat(MessageForms.to03(MessageForms.to10(message)))
                    .as("seed %s", seed)
                    .isEqualTo(message);
        }
    }

    private static ObjectNode message(String role, String part) {
        ObjectNode message =
                JsonNodeFactory.instance.objectNode().put("kind", "message").put("role", role);
        message.put("messageId", "m1").putArray("parts").add(json(part));
        return message;
    }

    private static ObjectNode anyMessage(Random random) {
        ObjectNode message = JsonNodeFactory.instance
                .objectNode()
                .put("kind", "message")
                .put("role", random.nextBoolean() ? "user" : "agent")
                .put("messageId", anyText(random));
        if (random.nextBoolean()) {
            message.put("taskId", anyText(random));
        }
        if (random.nextBoolean()) {
            message.put("contextId", anyText(random));
        }
        var parts = message.putArray("parts");
        for (int i = random.nextInt(4); i >= 0; i--) {
            parts.add(anyPart(random));
        }
        if (random.nextBoolean()) {
            message.putObject("metadata").put(anyText(random), random.nextInt());
        }
        if (random.nextBoolean()) {
            message.putArray("extensions").add(anyText(random));
        }
        if (random.nextBoolean()) {
            message.putArray("referenceTaskIds").add(anyText(random)).add(anyText(random));
        }
        return message;
    }

    private static ObjectNode anyPart(Random random) {
        ObjectNode part = JsonNodeFactory.instance.objectNode();
        switch (random.nextInt(3)) {
            case 0 -> part.put("kind", "text").put("text", random.nextInt(8) == 0 ? "" : anyText(random));
            case 1 -> {
                ObjectNode file = part.put("kind", "file").putObject("file");
                file.put(random.nextBoolean() ? "uri" : "bytes", anyText(random));
                if (random.nextBoolean()) {
                    file.put("name", anyText(random));
                }
                if (random.nextBoolean()) {
                    file.put("mimeType", anyText(random));
                }
            }
            default -> part.put("kind", "data").putObject("data").put(anyText(random), random.nextBoolean());
        }
        if (random.nextBoolean()) {
            part.putObject("metadata").put(anyText(random), anyText(random));
        }
        return part;
    }

    private static String anyText(Random random) {
        var text = new StringBuilder();
        for (int i = random.nextInt(6); i >= 0; i--) {
            text.appendCodePoint("aZ09 \"\\\n\u00e9\u4e2d".codePointAt(random.nextInt(10)));
        }
        return text.toString();
    }
}
