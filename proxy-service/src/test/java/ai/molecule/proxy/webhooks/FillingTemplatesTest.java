package ai.molecule.proxy.webhooks;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** What a webhook's words become with a delivery in them. */
class FillingTemplatesTest {

    @Test
    void places_are_filled_and_what_is_not_there_is_empty() {
        var body = Json.object();
        body.putObject("issue").put("title", "Broken $1");
        body.putArray("commits").addObject().put("message", "mend\0it");

        assertThat(filled(
                        "{{event}} {{ issue.title }}: {{commits.0.message}}{{commits.1.message}}{{none}}.",
                        body.toString()))
                .isEqualTo("push Broken $1: mend\uFFFDit.");
        assertThat(filled("{{commits}}", body.toString())).startsWith("[{");
    }

    @Test
    void a_template_of_many_places_becomes_no_longer_than_a_brief() {
        String large = "{\"a\":[\"%s\"]}".formatted("x".repeat(500_000));

        assertThat(filled("{{a}}".repeat(800), large))
                .hasSize(Template.FILLED_MAX_CHARS)
                .startsWith("[\"xxx");
        assertThat(filled("{{body}}".repeat(500), large)).hasSize(Template.FILLED_MAX_CHARS);
        assertThat(filled("{{body}}", large))
                .hasSize(Template.FILLED_MAX_CHARS)
                .startsWith("{\"a\"")
                .endsWith("…");
    }

    private static String filled(String template, String body) {
        try {
            var delivery = new Delivery("d-1", "push", body, Json.parse(body.getBytes(StandardCharsets.UTF_8)));
            return Template.of("brief", template).fill(delivery);
        } catch (IOException malformed) {
            throw new AssertionError(malformed);
        }
    }
}
