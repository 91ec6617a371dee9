package ai.molecule.cli.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import ai.molecule.cli.machine.Finding.Verdict;
import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.Test;

/** What {@code doctor} says of a platform that runs. */
class BackgroundWorkTest {

    @Test
    void what_is_not_well_is_named_in_the_platforms_own_words() {
        var liveness = new JsonObject("""
                {"services":{"registry":{"answered":true,"replica":"a/1"},"events":{"answered":false}},
                 "subsystems":{"registry.neighbours":{"did":"looked","ok":false,"says":"no answer from 10.0.0.2:5702"},
                               "registry.outbox":{"did":"did","ok":true,"says":"sends"}}}
                """);

        assertThat(BackgroundWork.of(liveness))
                .extracting(Finding::verdict, Finding::says)
                .containsExactly(
                        tuple(Verdict.NOTE, "The service events does not answer."),
                        tuple(Verdict.NOTE, "registry.neighbours: no answer from 10.0.0.2:5702"));
    }

    @Test
    void one_that_is_well_is_one_line() {
        var liveness = new JsonObject("""
                {"services":{"registry":{"answered":true}},"subsystems":{"registry.outbox":{"ok":true,"says":"sends"}}}
                """);

        assertThat(BackgroundWork.of(liveness)).extracting(Finding::verdict).containsExactly(Verdict.OK);
    }
}
