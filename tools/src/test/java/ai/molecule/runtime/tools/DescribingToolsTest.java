package ai.molecule.runtime.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.testkit.Documents;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The table of tools and every text made from it. */
class DescribingToolsTest {

    @Test
    void the_tools_are_those_of_the_platform_in_their_order() {
        assertThat(Tools.ALL)
                .extracting(ToolSpec::name)
                .containsExactly(
                        "delegate_task",
                        "delegate_task_async",
                        "check_task_status",
                        "list_peers",
                        "get_workspace_info",
                        "broadcast_message",
                        "send_message_to_user",
                        "wait_for_message",
                        "inbox_peek",
                        "inbox_pop",
                        "chat_history",
                        "commit_memory",
                        "recall_memory")
                .doesNotHaveDuplicates();
    }

    @Test
    void every_tool_stands_in_exactly_one_section() {
        List<ToolSpec> bySection = new ArrayList<>(Tools.in(Section.A2A));
        bySection.addAll(Tools.in(Section.MEMORY));

        assertThat(bySection).containsExactlyInAnyOrderElementsOf(Tools.ALL);
    }

    @Test
    void a_tool_is_found_by_its_name() {
        assertThat(Tools.get("list_peers").section()).isEqualTo(Section.A2A);
        assertThatThrownBy(() -> Tools.get("no_such_tool")).isInstanceOf(NoSuchElementException.class);
    }

    @Test
    void schemas_are_objects_that_require_only_what_they_describe() {
        for (ToolSpec tool : Tools.ALL) {
            var schema = tool.inputSchema();
            assertThat(schema.path("type").asText()).isEqualTo("object");
            assertThat(schema.path("properties").isObject()).isTrue();
            assertThat(schema.has("required"))
                    .isEqualTo(!schema.path("required").isEmpty());
            schema.path("required")
                    .forEach(name -> assertThat(schema.path("properties").has(name.asText()))
                            .as(tool.name() + " " + name)
                            .isTrue());
        }
    }

    @Test
    void a_schema_handed_out_is_a_copy() {
        Tools.get("list_peers").inputSchema().removeAll();

        assertThat(Tools.get("list_peers").inputSchema().has("type")).isTrue();
    }

    @Test
    void generated_texts_name_every_tool_with_its_words() {
        for (ToolSpec tool : Tools.ALL) {
            String block = tool.section() == Section.A2A ? PromptBlocks.a2a() : PromptBlocks.memory();
            assertThat(block)
                    .contains("- **" + tool.name() + "**: " + tool.brief() + "\n")
                    .contains("### " + tool.name() + "\n\n" + tool.whenToUse() + "\n\n");
            assertThat(PromptBlocks.capabilities()).contains("- `" + tool.name() + "` — " + tool.brief());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"delegate_to_workspace", "search_memory", "check_delegation_status"})
    void tools_of_former_times_are_not_named(String stale) {
        assertThat(PromptBlocks.a2a()
                        + PromptBlocks.memory()
                        + PromptBlocks.capabilities()
                        + PromptBlocks.A2A_FOR_A_SHELL)
                .doesNotContain(stale);
    }

    @Test
    void every_tool_for_peers_has_a_command_in_the_shells_text_or_is_known_to_have_none() {
        var keywords = PromptBlocks.shellKeywords();

        assertThat(keywords.keySet())
                .containsExactlyElementsOf(
                        Tools.in(Section.A2A).stream().map(ToolSpec::name).toList())
                .containsAll(PromptBlocks.SHELL_KEYWORDS.keySet());
        keywords.values()
                .forEach(keyword -> keyword.ifPresent(
                        word -> assertThat(PromptBlocks.A2A_FOR_A_SHELL).contains(word)));
    }

    @Test
    void texts_for_prompts_are_what_they_were() throws IOException {
        assertThat(PromptBlocks.a2a()).isEqualTo(snapshot("a2a_instructions_mcp.txt"));
        assertThat(PromptBlocks.A2A_FOR_A_SHELL).isEqualTo(snapshot("a2a_instructions_cli.txt"));
        assertThat(PromptBlocks.memory()).isEqualTo(snapshot("hma_instructions.txt"));
        assertThat(PromptBlocks.capabilities()).isEqualTo(snapshot("platform_capabilities.txt"));
    }

    @Test
    void each_block_has_its_heading_and_ends_where_the_next_one_can_begin() {
        assertThat(PromptBlocks.a2a()).startsWith("## Inter-Agent Communication\n\n- **delegate_task**: ");
        assertThat(PromptBlocks.memory()).startsWith("## Hierarchical Memory (HMA)\n\n- **commit_memory**: ");
        assertThat(PromptBlocks.capabilities()).startsWith("## Platform Capabilities\n\n");
        assertThat(PromptBlocks.A2A_FOR_A_SHELL)
                .startsWith("## Inter-Agent Communication\n\n")
                .doesNotEndWith("\n");
        for (String block : List.of(PromptBlocks.a2a(), PromptBlocks.memory())) {
            assertThat(block).endsWith("\n").doesNotEndWith("\n\n").doesNotContain("\r", " \n");
        }
    }

    @Test
    void the_commands_stand_for_the_tools_the_contract_names() {
        assertThat(PromptBlocks.shellKeywords())
                .containsEntry("list_peers", Optional.of("peers"))
                .containsEntry("delegate_task", Optional.of("delegate "))
                .containsEntry("delegate_task_async", Optional.of("delegate --async"))
                .containsEntry("check_task_status", Optional.of("status"))
                .containsEntry("get_workspace_info", Optional.of("info"))
                .containsEntry("send_message_to_user", Optional.empty())
                .hasSize(Tools.in(Section.A2A).size());
    }

    @Test
    void the_documentation_is_made_from_the_table() throws IOException {
        assertThat(Files.readString(Documents.TOOLS)).isEqualTo(ToolDocs.page());
    }

    private static String snapshot(String name) throws IOException {
        try (InputStream file = Objects.requireNonNull(DescribingToolsTest.class.getResourceAsStream(name), name)) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
