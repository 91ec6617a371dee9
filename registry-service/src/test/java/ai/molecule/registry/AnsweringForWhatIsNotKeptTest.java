package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What existing canvases read and nobody keeps here: empty and honest, never a 404 in red. */
class AnsweringForWhatIsNotKeptTest {

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry registry;

    @BeforeAll
    static void start() {
        registry = RunningRegistry.startAt(new MovableClock());
    }

    @AfterAll
    static void stop() {
        registry.close();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"channels|[]", "traces|[]"})
    void it_is_empty_in_the_shape_that_clients_read(String what, String body) {
        String id = registry.create("Agent");

        assertThat(registry.get("/workspaces/" + id + "/" + what, ADMIN)).hasToString("200 " + body);
    }

    @ParameterizedTest
    @CsvSource({"channels", "traces"})
    void whoever_wants_to_make_one_is_told_in_a_sentence_where_else_to_look(String what) {
        String id = registry.create("Agent");

        var answer = registry.post("/workspaces/" + id + "/" + what, "{}", ADMIN);

        assertThat(answer.status()).isEqualTo(501);
        assertThat(answer.text("error")).matches("[A-Z].*\\.");
    }

    @Test
    void nobody_but_those_who_may_see_the_workspace_is_answered() {
        String id = registry.create("Agent");
        String other = registry.token(registry.create("Other"));

        assertThat(registry.get("/workspaces/" + id + "/traces", other).status())
                .isEqualTo(401);
        assertThat(registry.post("/workspaces/" + id + "/traces", "{}", null).status())
                .isEqualTo(401);
    }
}
