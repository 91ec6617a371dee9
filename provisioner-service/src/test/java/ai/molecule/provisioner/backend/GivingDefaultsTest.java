package ai.molecule.provisioner.backend;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.bus.registry.ManagedWorkspace;
import ai.molecule.provisioner.testing.WorkspaceBuilder;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What agents get of the platform's owner, and what goes before it. */
class GivingDefaultsTest {

    private static final AgentEnvironment ENVIRONMENT =
            new AgentEnvironment(Map.of(), "/configs", "http://platform", "0.0.0.0", Duration.ofSeconds(30));

    private final UUID id = UUID.randomUUID();

    @Test
    void a_memory_service_is_told_with_the_workspaces_own_place_in_it() {
        assertThat(environment("echo", null, Map.of(), "http://memory:9000"))
                .containsEntry("AWARENESS_URL", "http://memory:9000")
                .containsEntry("AWARENESS_NAMESPACE", "workspace:" + id);
        assertThat(environment("echo", null, Map.of(), null))
                .doesNotContainKeys("AWARENESS_URL", "AWARENESS_NAMESPACE");
    }

    @Test
    void a_secret_goes_before_the_memory_service_of_all() {
        assertThat(environment("echo", null, Map.of("AWARENESS_URL", "http://mine"), "http://memory:9000"))
                .containsEntry("AWARENESS_URL", "http://mine");
    }

    @Test
    void the_folder_of_all_is_lent_only_where_one_is_asked_for_and_none_is_named() {
        var defaults = new AgentDefaults(null, "/srv/all");

        assertThat(lent(defaults, null, "read_write")).isEqualTo("/srv/all");
        assertThat(lent(defaults, "/srv/own", "read_only")).isEqualTo("/srv/own");
        assertThat(lent(defaults, null, "none")).isEqualTo("its own");
        assertThat(lent(defaults, "/srv/own", "none")).isEqualTo("its own");
        assertThat(lent(AgentDefaults.NONE, null, "read_write")).isEqualTo("its own");
    }

    @Test
    void hermes_is_told_the_model_that_was_chosen_last() {
        assertThat(environment("hermes", "created:with", Map.of(), null))
                .containsEntry("HERMES_DEFAULT_MODEL", "created:with");
        assertThat(environment("hermes", "created:with", Map.of("MODEL_PROVIDER", "chosen:later"), null))
                .containsEntry("HERMES_DEFAULT_MODEL", "chosen:later");
        assertThat(environment(
                        "hermes", null, Map.of("MODEL_PROVIDER", "chosen", "HERMES_DEFAULT_MODEL", "its own"), null))
                .containsEntry("HERMES_DEFAULT_MODEL", "its own");
        assertThat(environment("langgraph", "created:with", Map.of("MODEL_PROVIDER", "chosen"), null))
                .doesNotContainKey("HERMES_DEFAULT_MODEL");
    }

    @Test
    void a_model_that_was_chosen_is_handed_over_like_the_secret_it_is() {
        var launch = AgentDefaults.NONE.launch(
                workspace("hermes", null, null, "none"), 1, "token", Map.of("MODEL_PROVIDER", "chosen"));

        assertThat(ENVIRONMENT.withoutSecrets(launch, 1)).doesNotContainValue("chosen");
    }

    private Map<String, String> environment(
            String runtime, @Nullable String model, Map<String, String> secrets, @Nullable String awarenessUrl) {
        var launch = new AgentDefaults(awarenessUrl, null)
                .launch(workspace(runtime, model, null, "none"), 20_000, "token", secrets);
        return ENVIRONMENT.of(launch, 8000);
    }

    private String lent(AgentDefaults defaults, @Nullable String folder, String access) {
        var workspace = defaults.launch(workspace("echo", null, folder, access), 20_000, "token", Map.of())
                .workspace();
        return workspace.worksInLentFolder() ? String.valueOf(workspace.workspaceDir()) : "its own";
    }

    private ManagedWorkspace workspace(String runtime, @Nullable String model, @Nullable String folder, String access) {
        return WorkspaceBuilder.workspace(id)
                .runtime(runtime)
                .model(model)
                .lent(folder, access)
                .build();
    }
}
