package ai.molecule.registry;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What needs no bearer in development, and what does even there; and the first steps where nothing is configured. */
class OpeningTheHatchTest {

    @Test
    void in_development_people_need_no_bearer_and_agents_with_a_token_do() {
        try (var registry = RunningRegistry.startBare("MOLECULE_ENV", "development")) {
            String id =
                    registry.post("/workspaces", "{\"name\":\"Agent\"}", null).text("id");
            String token = registry.get("/admin/workspaces/" + id + "/test-token", null)
                    .text("auth_token");

            assertThat(registry.get("/workspaces", null).status()).isEqualTo(200);
            assertThat(registry.get("/registry/" + id + "/peers", null)).hasToString("200 []");
            assertThat(registry.patch("/workspaces/" + id, "{\"tier\":2}", null).status())
                    .isEqualTo(200);
            assertThat(registry.get("/workspaces/" + id, null).body()).contains("\"current_task\":\"\"");
            assertThat(registry.patch("/workspaces/" + id, "{}", "garbage").status())
                    .isEqualTo(401);
            assertThat(registry.beat(id, "", null).status()).isEqualTo(401);
            assertThat(registry.get("/workspaces/" + id + "/state", null).status())
                    .isEqualTo(401);
            assertThat(registry.get("/workspaces/" + id + "/state", token).status())
                    .isEqualTo(200);
        }
    }

    @Test
    void where_nothing_is_configured_the_first_workspace_is_free_and_its_token_then_rules() {
        try (var registry = RunningRegistry.startBare()) {
            String id =
                    registry.post("/workspaces", "{\"name\":\"First\"}", null).text("id");
            String token =
                    registry.register(id, "http://localhost:8001", "{}", null).text("auth_token");

            assertThat(registry.post("/workspaces", "{\"name\":\"Second\"}", null))
                    .hasToString("401 {\"error\":\"admin auth required\"}");
            assertThat(registry.post("/workspaces", "{\"name\":\"Second\"}", token)
                            .status())
                    .isEqualTo(201);
            assertThat(registry.get("/workspaces/" + id, null).body())
                    .contains("\"url\":\"http://localhost:8001\"")
                    .doesNotContain("\"current_task\"");
        }
    }
}
