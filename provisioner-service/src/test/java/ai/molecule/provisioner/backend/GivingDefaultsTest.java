package ai.molecule.provisioner.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.bus.registry.ManagedWorkspace;
import ai.molecule.common.config.Env;
import ai.molecule.common.config.Environment;
import ai.molecule.common.models.ProviderTable;
import ai.molecule.provisioner.testing.WorkspaceBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
    void an_agent_names_the_organisation_that_the_platform_asks_for() {
        var launch = AgentDefaults.fromEnv(new Env(Map.of("MOLECULE_ORG_ID", "acme")), Environment.DEVELOPMENT)
                .launch(workspace("echo", null, null, "none"), 1, "token", Map.of("MOLECULE_ORG_ID", "another"));

        assertThat(ENVIRONMENT.of(launch, 8000)).containsEntry("MOLECULE_ORG_ID", "acme");
        assertThat(environment("echo", null, Map.of(), null)).doesNotContainKey("MOLECULE_ORG_ID");
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
    void the_platforms_own_folders_are_lent_to_nobody_by_a_link_neither(@TempDir Path temp) throws IOException {
        var data = Files.createDirectories(temp.resolve("data/secrets")).resolveSibling("");
        var work = Files.createDirectories(temp.resolve("work"));
        var link = Files.createSymbolicLink(temp.resolve("link"), data.resolve("secrets"));
        var defaults = new AgentDefaults(
                null,
                null,
                null,
                Map.of(),
                LentFolders.fromEnv(new Env(Map.of("MOLECULE_DATA", data.toString()))),
                ProviderTable.shipped());

        for (Path refused : List.of(data, data.resolve("secrets"), temp, link, temp.resolve("work/../data"))) {
            assertThatThrownBy(() -> lent(defaults, refused.toString(), "read_write"))
                    .isInstanceOf(StartRefused.class)
                    .hasMessage("workspace_dir %s is not lent: the platform's own data is there".formatted(refused));
        }
        assertThat(lent(defaults, work.toString(), "read_write")).isEqualTo(work.toString());
        assertThat(lent(defaults, data.toString(), "none")).isEqualTo("its own");
    }

    @Test
    void an_operator_lists_what_may_be_lent(@TempDir Path temp) throws IOException {
        var allowed = Files.createDirectories(temp.resolve("repos"));
        Files.createDirectories(temp.resolve("repos-else"));
        var defaults = new AgentDefaults(
                null,
                null,
                null,
                Map.of(),
                LentFolders.fromEnv(new Env(Map.of("MOLECULE_WORKSPACE_DIRS", allowed.toString()))),
                ProviderTable.shipped());

        assertThat(lent(defaults, allowed + "/one", "read_write")).isEqualTo(allowed + "/one");
        for (String refused : List.of(temp + "/repos-else", allowed + "/../repos-else", "/root")) {
            assertThatThrownBy(() -> lent(defaults, refused, "read_only"))
                    .hasMessage("workspace_dir %s is not lent: it is in none of MOLECULE_WORKSPACE_DIRS"
                            .formatted(refused));
        }
        assertThatThrownBy(() -> LentFolders.fromEnv(new Env(Map.of("MOLECULE_WORKSPACE_DIRS", "repos"))))
                .hasMessage("MOLECULE_WORKSPACE_DIRS must be absolute folders");
    }

    @Test
    void agents_may_fetch_what_the_operator_opens_and_no_secret_says_otherwise() {
        var defaults = AgentDefaults.fromEnv(
                new Env(Map.of("MOLECULE_FETCH_NETWORKS", "10.1.0.0/16")), Environment.DEVELOPMENT);
        var workspace = WorkspaceBuilder.workspace(UUID.randomUUID()).build();
        var place = new AgentEnvironment(Map.of(), "/configs", "http://platform", "127.0.0.1", Duration.ofSeconds(30));

        var opened = defaults.launch(workspace, 1, "t", Map.of("MOLECULE_FETCH_NETWORKS", "0.0.0.0/0"));
        var closed = AgentDefaults.NONE.launch(workspace, 1, "t", Map.of("MOLECULE_FETCH_NETWORKS", "0.0.0.0/0"));

        assertThat(place.of(opened, 1)).containsEntry("MOLECULE_FETCH_NETWORKS", "10.1.0.0/16");
        assertThat(place.of(closed, 1)).doesNotContainKey("MOLECULE_FETCH_NETWORKS");
    }

    @Test
    void in_production_agents_ask_for_a_pair_token_and_no_secret_says_otherwise() {
        var workspace = WorkspaceBuilder.workspace(UUID.randomUUID()).build();
        Function<AgentDefaults, Map<String, String>> told = defaults ->
                ENVIRONMENT.of(defaults.launch(workspace, 1, "t", Map.of("MOLECULE_A2A_REQUIRE_TOKEN", "false")), 1);

        assertThat(told.apply(AgentDefaults.fromEnv(new Env(Map.of()), Environment.PRODUCTION)))
                .containsEntry("MOLECULE_A2A_REQUIRE_TOKEN", "pair");
        assertThat(told.apply(AgentDefaults.fromEnv(new Env(Map.of()), Environment.DEVELOPMENT)))
                .doesNotContainKey("MOLECULE_A2A_REQUIRE_TOKEN");
        assertThat(told.apply(AgentDefaults.fromEnv(
                        new Env(Map.of("MOLECULE_A2A_REQUIRE_TOKEN", "true")), Environment.PRODUCTION)))
                .containsEntry("MOLECULE_A2A_REQUIRE_TOKEN", "true");
        assertThatThrownBy(() -> AgentDefaults.fromEnv(
                        new Env(Map.of("MOLECULE_A2A_REQUIRE_TOKEN", "perhaps")), Environment.PRODUCTION))
                .hasMessage("MOLECULE_A2A_REQUIRE_TOKEN must be pair, true or false");
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
