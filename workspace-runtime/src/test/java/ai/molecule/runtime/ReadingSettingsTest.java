package ai.molecule.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import ai.molecule.runtime.a2a.CallerProof;
import ai.molecule.runtime.platform.SelfPrompts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReadingSettingsTest {

    @TempDir
    private Path folder;

    @Test
    void what_is_left_out_has_its_default() throws Exception {
        var config = read("");

        assertThat(config.name()).isEqualTo("Workspace");
        assertThat(config.version()).isEqualTo("1.0.0");
        assertThat(config.tier()).isEqualTo(1);
        assertThat(config.runtime()).isEqualTo("langgraph");
        assertThat(config.a2aPort()).isEqualTo(8000);
        assertThat(config.delegationTimeout()).isEqualTo(Duration.ofSeconds(120));
    }

    @Test
    void what_is_written_is_read() throws Exception {
        var config = read("""
                name: Planner
                description: plans
                version: 2
                role: lead
                tier: 3
                model: openai:gpt
                runtime: delegate
                runtime_config: {command: x, args: [a]}
                a2a: {port: 9001}
                delegation: {timeout: 1.5}
                """);

        assertThat(config.name()).isEqualTo("Planner");
        assertThat(config.version()).isEqualTo("2");
        assertThat(config.role()).isEqualTo("lead");
        assertThat(config.tier()).isEqualTo(3);
        assertThat(config.runtimeConfig()).containsEntry("command", "x");
        assertThat(config.a2aPort()).isEqualTo(9001);
        assertThat(config.delegationTimeout()).isEqualTo(Duration.ofMillis(1500));
    }

    @Test
    void lists_and_prompts_are_read_and_a_prompt_in_the_file_goes_before_one_beside_it() throws Exception {
        Files.writeString(folder.resolve("wake.md"), "  look around\n");
        var config = read("""
                skills: [search]
                plugins: seo
                tools: [recall_memory]
                prompt_files: [a.md, b.md]
                shared_context: [facts.md]
                initial_prompt: begin
                initial_prompt_file: nowhere.md
                idle_prompt_file: wake.md
                idle_interval_seconds: 30.0
                """);

        assertThat(config.materials())
                .isEqualTo(new WorkspaceConfig.Materials(
                        List.of("search"),
                        List.of("seo"),
                        List.of("recall_memory"),
                        List.of("a.md", "b.md"),
                        List.of("facts.md"),
                        Optional.empty()));
        assertThat(config.selfPrompts()).isEqualTo(new SelfPrompts("begin", "look around", Duration.ofSeconds(30)));
    }

    @Test
    void what_may_be_done_unasked_is_a_list_of_tools_that_there_are_and_leaving_it_out_is_not_leaving_it_empty()
            throws Exception {
        assertThat(read("name: A").materials().unasked()).isEmpty();
        assertThat(read("unasked: []").materials().unasked()).contains(new Unasked(Set.of()));
        assertThat(read("unasked: [files, read, run, github__*, github__add_issue]")
                        .materials()
                        .unasked())
                .isPresent();
        var refused = Map.of(
                "unasked:",
                "unasked says nothing",
                "unasked: write",
                "unasked is write",
                "unasked: [rn]",
                "unasked names rn",
                "unasked: [\"*\"]",
                "unasked names *",
                "unasked: [" + "write,".repeat(201) + "]",
                "unasked has 201 names");
        for (var each : refused.entrySet()) {
            assertThatThrownBy(() -> read(each.getKey()))
                    .as(each.getKey())
                    .isInstanceOf(PreflightFailure.class)
                    .hasMessage(each.getValue());
        }
    }

    @Test
    void a_prompt_file_that_is_missing_is_no_prompt_and_one_outside_the_folder_is_refused() throws Exception {
        assertThat(read("initial_prompt_file: nowhere.md").selfPrompts()).isEqualTo(SelfPrompts.NONE);
        Files.createSymbolicLink(folder.resolve("link.md"), Path.of("/etc/hostname"));

        for (String outside : List.of("../config.yaml", "/etc/hostname", "link.md")) {
            assertThatThrownBy(() -> read("idle_prompt_file: " + outside))
                    .isInstanceOf(PreflightFailure.class)
                    .hasMessage("idle_prompt_file is " + outside);
        }
    }

    @Test
    void everything_wrong_is_reported_at_once_and_what_only_deserves_notice_beside_it() throws Exception {
        var config = read("""
                runtime: crewai
                a2a: {port: 0}
                skills: [search]
                rbac: {roles: [operator]}
                effort: high
                runtime_config: {required_env: [SOME_KEY], auth_token_file: token, auth_token_env: MODEL_KEY}
                """);

        assertThatThrownBy(() -> Preflight.check(config, folder, Map.of()))
                .isInstanceOfSatisfying(
                        PreflightFailure.class,
                        failure -> assertThat(failure.report().lines().filter(line -> line.charAt(0) != ' '))
                                .containsExactly(
                                        "Preflight checks:",
                                        "[FAIL] Runtime: runtime crewai cannot run here, only cli, delegate, echo, langchain4j, program, rehearse, rehearsed can",
                                        "[FAIL] A2A port: a2a.port is 0",
                                        "[FAIL] Environment: required environment variable SOME_KEY is not set",
                                        "[FAIL] Auth token: runtime_config.auth_token_file token does not exist",
                                        "[WARN] Prompt files: system-prompt.md does not exist",
                                        "[WARN] Skills: skills/search/SKILL.md does not exist",
                                        "[WARN] Configuration: rbac is not enforced",
                                        "[WARN] Configuration: effort is not enforced"));
    }

    @Test
    void an_agent_with_nothing_but_warnings_starts() throws Exception {
        var config = read("runtime: langgraph\nprompt_files: [a.md]").runBy("langchain4j");

        assertThat(PreflightFinding.report(Preflight.check(config, folder, Map.of())))
                .isEqualTo("""
                        Preflight checks:
                        [WARN] Runtime: runtime langgraph is run by the adapter langchain4j
                          Fix: Nothing, if that is what you want: the adapter wins.
                        [WARN] Prompt files: a.md does not exist
                          Fix: Create it beside config.yaml.""");
    }

    @Test
    void a_tool_that_there_is_none_of_is_told_with_the_one_that_was_meant() throws Exception {
        Files.writeString(folder.resolve("system-prompt.md"), "Help.");
        var config = read("runtime: langchain4j\ntools: [fiels, run, web_search, Read]");

        assertThat(Preflight.check(config, folder, Map.of()))
                .extracting(PreflightFinding::stops, PreflightFinding::detail, PreflightFinding::fix)
                .containsExactly(
                        tuple(false, none("fiels"), "Write files, if that is what you mean."),
                        tuple(false, none("web_search"), "Take it out of tools, or write one of those."),
                        tuple(false, none("Read"), "Write read, if that is what you mean."));
        assertThat(Preflight.check(read("runtime: echo\ntools: [Bash]"), folder, Map.of()))
                .isEmpty();
    }

    private static String none(String name) {
        return "tools names " + name
                + ", which is none of: files, read, write, edit, list, glob, search, run, fetch, ask, request_approval";
    }

    @Test
    void a_tier_that_is_not_a_number_is_one() throws Exception {
        assertThat(read("tier: high").tier()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "- a list",
                "a: [unclosed",
                "a2a: {port: many}",
                "a2a: 8000",
                "delegation: {timeout: -1}",
                "delegation: {retry_attempts: -1}",
                "idle_interval_seconds: 0",
                "skills: {a: b}",
                "sub_workspaces: many",
                "governance: strict",
                "effort: huge",
                "task_budget: 5",
                "name: !!java.net.URL [http://x]",
                "name: !!int x",
                "skills: &a [*a]"
            })
    void what_cannot_be_used_is_reported(String yaml) {
        assertThatThrownBy(() -> read(yaml))
                .isInstanceOfSatisfying(
                        PreflightFailure.class,
                        failure -> assertThat(failure.report())
                                .contains("[FAIL] Configuration: ")
                                .contains("  Fix: "));
    }

    @Test
    void a_missing_file_is_named() {
        assertThatThrownBy(() -> WorkspaceConfig.read(folder))
                .isInstanceOf(PreflightFailure.class)
                .hasMessageContaining("config.yaml does not exist");
    }

    @Test
    void a_runtime_that_cannot_run_here_is_answered_with_those_that_can() {
        assertThatThrownBy(() -> Preflight.check(read("runtime: crewai"), folder, Map.of()))
                .isInstanceOfSatisfying(
                        PreflightFailure.class,
                        failure -> assertThat(failure.report())
                                .contains(
                                        "[FAIL] Runtime: runtime crewai cannot run here, only cli, delegate, echo, langchain4j, program, rehearse, rehearsed can"));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 65_536})
    void a_port_outside_its_range_is_refused(int port) {
        assertThatThrownBy(() -> Preflight.check(read("runtime: echo\na2a: {port: " + port + "}"), folder, Map.of()))
                .isInstanceOf(PreflightFailure.class)
                .hasMessage("a2a.port is " + port);
    }

    @Test
    void a_variable_that_the_agent_needs_is_named_when_it_is_missing() {
        var needy = "runtime: echo\nruntime_config: {required_env: [SOME_KEY]}";

        assertThatThrownBy(() -> Preflight.check(read(needy), folder, Map.of("SOME_KEY", " ")))
                .isInstanceOf(PreflightFailure.class)
                .hasMessage("required environment variable SOME_KEY is not set");
    }

    @Test
    void the_environment_has_its_defaults() {
        var config = RuntimeConfig.fromEnv(Map.of("WORKSPACE_ID", "ws-1"));

        assertThat(config.configFolder()).isEqualTo(Path.of("/configs"));
        assertThat(config.tokenFolder()).isEqualTo(Path.of("/configs"));
        assertThat(config.platformUrl()).endsWith(":8080");
        assertThat(config.callerProof()).isEqualTo(CallerProof.ELSEWHERE);
        assertThat(config.host()).isEqualTo("127.0.0.1");
        assertThat(config.port()).isEmpty();
        assertThat(config.heartbeatInterval()).isEqualTo(Duration.ofSeconds(30));
        assertThat(config.lifelineOnStdin()).isFalse();
    }

    @Test
    void an_agent_that_listens_everywhere_gives_out_its_host_name() {
        var config = RuntimeConfig.fromEnv(
                Map.of("WORKSPACE_ID", "ws-1", "MOLECULE_AGENT_HOST", "0.0.0.0", "HOSTNAME", "ws-1.local"));

        assertThat(config.urlAt(8000)).isEqualTo("http://ws-1.local:8000");
    }

    @Test
    void a_wrong_variable_is_named_with_what_would_be_right() {
        assertThatThrownBy(() -> RuntimeConfig.fromEnv(Map.of()))
                .isInstanceOf(PreflightFailure.class)
                .hasMessage("WORKSPACE_ID is not set");
        assertThatThrownBy(() -> RuntimeConfig.fromEnv(Map.of("WORKSPACE_ID", "w", "MOLECULE_AGENT_PORT", "70000")))
                .isInstanceOfSatisfying(
                        PreflightFailure.class,
                        failure -> assertThat(failure.report())
                                .contains("MOLECULE_AGENT_PORT is 70000")
                                .contains("from 0 to 65535"));
    }

    private WorkspaceConfig read(String yaml) throws Exception {
        Files.writeString(folder.resolve("config.yaml"), yaml);
        return WorkspaceConfig.read(folder);
    }
}
