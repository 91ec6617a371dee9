package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.http.HttpMethod;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** {@code /canvas/viewport}. */
class KeepingTheViewportTest {

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry registry;

    @BeforeAll
    static void start() {
        registry = RunningRegistry.start();
    }

    @AfterAll
    static void stop() {
        registry.close();
    }

    @Test
    void it_is_kept_for_everybody_and_changed_by_those_who_may() {
        String token = registry.token(registry.create("Agent"));
        String viewport = "{\"x\":100,\"y\":-2.5,\"zoom\":1.5}";

        assertThat(registry.get("/canvas/viewport", null)).hasToString("200 {\"x\":0,\"y\":0,\"zoom\":1}");
        assertThat(save(viewport, null)).isEqualTo("401 {\"error\":\"admin auth required\"}");
        assertThat(save(viewport, token)).isEqualTo("200 {\"status\":\"saved\"}");
        assertThat(registry.get("/canvas/viewport", null)).hasToString("200 " + viewport);
        assertThat(save("{\"x\":\"left\"}", ADMIN)).isEqualTo("400 {\"error\":\"invalid viewport data\"}");
    }

    @Test
    void in_development_no_bearer_is_needed() {
        try (var development = RunningRegistry.startBare("MOLECULE_ENV", "development")) {
            assertThat(development.send(HttpMethod.PUT, "/canvas/viewport", "{\"zoom\":2}", null))
                    .hasToString("200 {\"status\":\"saved\"}");
        }
    }

    @Test
    void one_that_cannot_be_read_is_the_default() {
        registry.sql("ALTER TABLE canvas_viewport RENAME TO out_of_reach");
        try {
            assertThat(registry.get("/canvas/viewport", null)).hasToString("200 {\"x\":0,\"y\":0,\"zoom\":1}");
        } finally {
            registry.sql("ALTER TABLE out_of_reach RENAME TO canvas_viewport");
        }
    }

    private static String save(String body, @Nullable String bearer) {
        return registry.send(HttpMethod.PUT, "/canvas/viewport", body, bearer).toString();
    }
}
