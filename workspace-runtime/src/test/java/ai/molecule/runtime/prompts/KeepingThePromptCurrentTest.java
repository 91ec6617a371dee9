package ai.molecule.runtime.prompts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.sdk.ClientConfig;
import ai.molecule.sdk.TokenFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What changes around an agent is in its next prompt, and a platform that has nothing new is not asked again. */
class KeepingThePromptCurrentTest {

    private static final String PEERS = "/registry/me/peers";

    @TempDir
    private Path temp;

    private Path home;

    private Optional<PromptSettings> settings = Optional.of(named(List.of()));
    private EventfulPlatform platform;
    private LivePrompt prompt;

    @BeforeEach
    void start() throws Exception {
        home = Files.createDirectory(temp.resolve("home"));
        platform = new EventfulPlatform();
        platform.on(PEERS, peer("Ann", "online"));
        platform.on("/workspaces/me", "{\"parent_id\":null}");
        var tokens = TokenFile.in(home);
        tokens.save("mine");
        prompt = new LivePrompt(new LivePrompt.Sources(
                ClientConfig.of("me", platform.url(), tokens),
                home,
                home.resolve("no-such-folder"),
                "langgraph",
                "",
                () -> settings,
                ToolWords.NONE));
    }

    private static PromptSettings named(List<String> skills, String... promptFiles) {
        return new PromptSettings(List.of(promptFiles), skills, "langgraph", Map.of());
    }

    @AfterEach
    void stop() throws Exception {
        prompt.close();
        platform.close();
    }

    @Test
    void files_are_in_the_next_prompt_as_they_are_then() throws Exception {
        Files.writeString(home.resolve("system-prompt.md"), "You plan.");
        assertThat(prompt.text()).startsWith("You plan.");

        Files.writeString(home.resolve("system-prompt.md"), "You build.");
        Files.writeString(home.resolve("MEMORY.md"), "The customer likes blue.");

        assertThat(prompt.text()).startsWith("You build.\n\nThe customer likes blue.");
    }

    @Test
    void skills_and_plugins_come_and_go_while_the_agent_runs() throws Exception {
        Path skill = Files.createDirectories(home.resolve("skills/counting"));
        Files.writeString(skill.resolve("SKILL.md"), "---\nname: Counting\ndescription: Counts.\n---\nOne, two.");
        settings = Optional.of(named(List.of("counting")));
        Path rules = Files.createDirectories(home.resolve("plugins/plain/rules"));
        Files.writeString(rules.resolve("short.md"), "Be short.");

        assertThat(prompt.text())
                .contains("## Platform Rules\n\nBe short.\n\n## Your Skills\n\n### Counting\n\nCounts.\n\nOne, two.");

        Files.writeString(skill.resolve("SKILL.md"), "Three.");
        Files.delete(rules.resolve("short.md"));

        assertThat(prompt.text()).doesNotContain("Platform Rules").contains("### counting\n\nThree.");
    }

    @Test
    void what_is_meant_for_another_runtime_counts_once_the_config_says_that_one() throws Exception {
        Path skill = Files.createDirectories(home.resolve("skills/counting"));
        Files.writeString(skill.resolve("SKILL.md"), "---\nruntime: claude-code\n---\nOne, two.");
        settings = Optional.of(named(List.of("counting")));
        assertThat(prompt.text()).doesNotContain("One, two.");

        settings = Optional.of(new PromptSettings(List.of(), List.of("counting"), "claude_code", Map.of()));

        assertThat(prompt.text()).contains("One, two.");
        assertThat(prompt.skills()).hasSize(1);
    }

    @Test
    void a_changed_config_counts_and_one_that_cannot_be_read_leaves_what_was() throws Exception {
        Files.writeString(home.resolve("other.md"), "You are other.");
        settings = Optional.of(new PromptSettings(
                List.of("other.md"), List.of(), "langgraph", Map.of("security", List.of("Auditor"))));
        assertThat(prompt.text()).startsWith("You are other.").contains("- **security**: Auditor");

        settings = Optional.empty();

        assertThat(prompt.text()).startsWith("You are other.").contains("- **security**: Auditor");
    }

    @Test
    void a_file_outside_the_agents_folder_is_not_read() throws Exception {
        Files.writeString(temp.resolve("secret.md"), "secret");
        settings = Optional.of(named(List.of(), "../secret.md", "a/../../secret.md", "no\0path"));

        assertThat(prompt.text()).doesNotContain("secret");
    }

    @Test
    void without_news_the_platform_is_asked_once() {
        becomeCurrent();
        long asked = platform.askedFor(PEERS);
        platform.on(PEERS, peer("Bob", "online"));

        assertThat(prompt.text()).contains("Ann");
        assertThat(platform.askedFor(PEERS)).isEqualTo(asked);
        assertThat(platform.bearers).contains("me Bearer mine");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "WORKSPACE_ONLINE",
                "WORKSPACE_OFFLINE",
                "WORKSPACE_EXPANDED",
                "WORKSPACE_COLLAPSED",
                "WORKSPACE_REMOVED",
                "AGENT_CARD_UPDATED",
                "INSTRUCTIONS_CHANGED",
                "WORKSPACE_MOVED",
                "GAP"
            })
    void what_the_platform_announces_is_in_the_next_prompt(String event) {
        becomeCurrent();
        platform.on(PEERS, peer("Ann", "offline"));

        platform.tell(event);

        await().until(() -> prompt.text().contains("status: offline"));
    }

    @Test
    void signs_of_life_and_talk_change_nothing() {
        for (String event : List.of("WORKSPACE_HEARTBEAT", "TASK_UPDATED", "ACTIVITY_LOGGED", "A2A_RESPONSE")) {
            assertThat(PlatformEvents.concernsSurroundings(event)).as(event).isFalse();
        }
        assertThat(PlatformEvents.nameOf("{\"timestamp\":\"t\",\"payload\":{\"event\":\"NO\"},\"event\":\"YES\",\"x"))
                .isEqualTo("YES");
        assertThat(PlatformEvents.nameOf("no json")).isEmpty();
    }

    @Test
    void after_a_lost_connection_it_listens_again_and_asks_again() {
        becomeCurrent();
        platform.on(PEERS, peer("Ann", "degraded"));

        platform.listeners.forEach(listener -> listener.close());

        await().until(() -> prompt.text().contains("status: degraded"));
        await().until(() -> platform.bearers.size() == 2);
    }

    @Test
    void what_a_parent_shares_is_told_and_a_platform_that_shows_it_to_strangers_only_is_asked_as_one() {
        platform.on("/workspaces/me", "{\"parent_id\":\"lead\"}");
        platform.on("/workspaces/lead/shared-context", "![{\"path\":\"goal.md\",\"content\":\"Ship it.\"}]");

        assertThat(prompt.text()).contains("## Parent Context\n\n### goal.md\n\nShip it.");
    }

    @Test
    void a_platform_that_is_away_leaves_what_was_known() throws Exception {
        Files.writeString(home.resolve("system-prompt.md"), "You plan.");
        becomeCurrent();

        platform.close();

        await().during(Duration.ofSeconds(3))
                .until(() -> prompt.text().contains("You plan.\n\n## Your Peers")
                        && prompt.text().contains("Ann"));
    }

    /** Until it listens, an agent asks again before each answer. */
    private void becomeCurrent() {
        await().until(() -> {
            prompt.text();
            long asked = platform.askedFor(PEERS);
            prompt.text();
            return platform.listeners.size() == 1 && asked >= 2 && platform.askedFor(PEERS) == asked;
        });
    }

    private static String peer(String name, String status) {
        return "[{\"id\":\"p\",\"name\":\"%s\",\"status\":\"%s\",\"agent_card\":{\"name\":\"x\"}}]"
                .formatted(name, status);
    }
}
