package ai.molecule.runtime.tools;

import static ai.molecule.runtime.tools.ScriptedPlatform.ME;
import static ai.molecule.runtime.tools.ScriptedPlatform.OTHER;
import static ai.molecule.runtime.tools.ScriptedPlatform.PEER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.sdk.ClientConfig;
import ai.molecule.sdk.PlatformClient;
import ai.molecule.sdk.TokenFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One process, two workspaces: id and bearer always belong together. */
class SpeakingForSeveralWorkspacesTest {

    private ScriptedPlatform platform;
    private Toolbox toolbox;

    @BeforeEach
    void start() throws IOException {
        platform = new ScriptedPlatform();
        platform.on("POST /workspaces/" + ME + "/delegate", 202, "{\"delegation_id\":\"of-me\"}");
        platform.on("POST /workspaces/" + OTHER + "/delegate", 202, "{\"delegation_id\":\"of-other\"}");
        platform.on("GET /registry/" + ME + "/peers", 200, "[]");
        platform.on(
                "GET /registry/" + OTHER + "/peers",
                200,
                "[{\"id\":\"" + PEER + "\",\"name\":\"Bob\",\"role\":\"r\"}]");
        toolbox = new Toolbox(
                new Workspaces(List.of(platform.workspace(ME), platform.workspace(OTHER))), Optional.empty());
    }

    @AfterEach
    void stop() {
        platform.close();
    }

    @Test
    void peers_of_all_are_listed_with_the_one_that_knows_them() throws Exception {
        assertThat(use("list_peers", Map.of()))
                .isEqualTo("- Bob (ID: " + PEER + ", status: unknown, role: r, via: 33333333)");
        assertThat(use("list_peers", Map.of("source_workspace_id", OTHER)))
                .isEqualTo("- Bob (ID: " + PEER + ", status: unknown, role: r)");
        for (String id : List.of(ME, OTHER)) {
            platform.requests("GET /registry/" + id)
                    .forEach(request -> assertThat(request.header("Authorization") + request.header("X-Workspace-ID"))
                            .isEqualTo("Bearer token-of-" + id + id));
        }
    }

    @Test
    void reasons_why_there_are_no_peers_name_the_workspace_they_are_about() throws Exception {
        platform.on("GET /registry/" + ME + "/peers", 401, "{}").on("GET /registry/" + OTHER + "/peers", 404, "{}");

        assertThat(use("list_peers", Map.of()))
                .startsWith("No peers found. [11111111] authentication failed")
                .contains("; [33333333] this workspace is not registered");
    }

    @Test
    void a_listed_peer_is_spoken_to_by_the_workspace_that_knows_it_unless_another_is_named() throws Exception {
        assertThat(delegate(Map.of("workspace_id", PEER, "task", "do"))).contains("of-me");

        use("list_peers", Map.of());

        assertThat(delegate(Map.of("workspace_id", PEER, "task", "do"))).contains("of-other");
        assertThat(delegate(Map.of("workspace_id", PEER, "task", "do", "source_workspace_id", ME)))
                .contains("of-me");
        var request = platform.only("POST /workspaces/" + OTHER + "/delegate");
        assertThat(request.header("Authorization")).isEqualTo("Bearer token-of-" + OTHER);
        assertThat(request.header("X-Workspace-ID")).isEqualTo(OTHER);
    }

    @Test
    void a_workspace_that_is_not_ours_cannot_be_spoken_for() throws Exception {
        assertThat(use("list_peers", Map.of("source_workspace_id", PEER)))
                .startsWith("Error: " + PEER + " is none of your workspaces");
        assertThat(platform.requests("")).isEmpty();
    }

    @Test
    void several_come_from_one_variable_and_the_others_count_for_nothing() {
        var configs = WorkspaceSettings.read(Map.of(
                "MOLECULE_WORKSPACES",
                "[{\"id\":\"a\",\"token\":\"ta\"},{\"id\":\"b\",\"token\":\"tb\",\"platform_url\":\"https://b.example\"}]",
                "WORKSPACE_ID",
                "c",
                "PLATFORM_URL",
                "http://a.example/"));

        assertThat(configs).extracting(ClientConfig::workspaceId).containsExactly("a", "b");
        assertThat(configs)
                .extracting(ClientConfig::platformUrl)
                .containsExactly("http://a.example", "https://b.example");
        assertThat(configs)
                .extracting(config -> config.tokens().load().orElseThrow())
                .containsExactly("ta", "tb");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{oops | is no JSON",
                "[] | at least one workspace",
                "{\"id\":\"a\"} | must be a JSON array",
                "[{\"token\":\"t\"}] | [0] has no valid id",
                "[{\"id\":\"../x\",\"token\":\"t\"}] | [0] has no valid id",
                "[{\"id\":\"a\"}] | [0] (a) has no token",
                "[{\"id\":\"a\",\"token\":\"t\"},{\"id\":\"a\",\"token\":\"t\"}] | [1] (a) is there twice"
            })
    void a_malformed_list_is_refused_as_a_whole_without_showing_it(String list, String reason) {
        assertThatThrownBy(() -> WorkspaceSettings.read(Map.of("MOLECULE_WORKSPACES", list)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(reason);
    }

    @Test
    void a_token_the_platform_issues_in_place_of_the_one_from_outside_is_used_from_then_on() {
        platform.on("POST /registry/register", 200, "{\"status\":\"registered\",\"auth_token\":\"fresh\"}");
        var tokens = new HeldToken("revoked");

        new PlatformClient(ClientConfig.of(ME, platform.url(), tokens)).register("remote://no-inbound", Json.object());

        assertThat(tokens.load()).contains("fresh");
    }

    @Test
    void the_token_of_a_single_one_is_in_its_folder_or_else_in_a_variable(@TempDir Path folder) {
        var env = Map.of("WORKSPACE_ID", "a", "CONFIGS_DIR", folder.toString(), "MOLECULE_WORKSPACE_TOKEN", "given");
        assertThat(WorkspaceSettings.read(env).getFirst().tokens().load()).contains("given");

        TokenFile.in(folder).save("kept");

        assertThat(WorkspaceSettings.read(env).getFirst().tokens().load()).contains("kept");
    }

    private String delegate(Map<String, ?> arguments) throws InterruptedException {
        return use("delegate_task_async", arguments);
    }

    private String use(String tool, Map<String, ?> arguments) throws InterruptedException {
        return Tools.get(tool).run(toolbox, Json.MAPPER.valueToTree(arguments));
    }
}
