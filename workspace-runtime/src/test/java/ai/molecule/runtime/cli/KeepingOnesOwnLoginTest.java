package ai.molecule.runtime.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.runtime.a2a.AgentCard;
import ai.molecule.runtime.agent.AgentSetup;
import ai.molecule.runtime.agent.Prompt;
import ai.molecule.runtime.agent.Reply;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program with a login of its own is told nothing of the platform's models, and is bounded by steps and hours. */
class KeepingOnesOwnLoginTest {

    /** A program is known by its task: another test of the same time shall not end it. */
    private static final String TASK = "task-" + UUID.randomUUID();

    private static final Clock NOON = Clock.fixed(Instant.parse("2026-11-23T12:00:00Z"), ZoneOffset.UTC);
    private static final String TOOL =
            "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\",\"id\":\"t%d\",\"name\":\"Bash\",\"input\":{}}]}}\n";
    private static final String SPOKEN =
            "{\"type\":\"assistant\",\"message\":{\"model\":\"m\",\"content\":[{\"type\":\"text\",\"text\":\"working\"}]}}\n";
    private static final String END =
            "{\"type\":\"result\",\"subtype\":\"success\",\"result\":\"done\",\"session_id\":\"s-1\"}\n";

    @TempDir
    private Path folder;

    private final AtomicLong nanos = new AtomicLong();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final StringBuffer said = new StringBuffer();
    private final Reply reply = new Reply() {
        /** Two seconds pass with all that is said. */
        @Override
        public void chunk(String text) {
            said.append(text);
            nanos.addAndGet(Duration.ofSeconds(2).toNanos());
        }

        @Override
        public void text(String text) {
            chunk(text);
        }

        @Override
        public void ask(String question) {
            asked.add(question);
        }
    };

    @Test
    void it_finds_its_own_and_nothing_that_leads_to_the_platforms_models() {
        var kept = OwnLogin.withoutDoor(Map.of(
                "MOLECULE_MODEL_DOOR", "http://127.0.0.1:1/models",
                "MOLECULE_MODEL_KEY", "sk-door",
                "MOLECULE_MODEL_PROVIDERS", "anthropic:+",
                "ANTHROPIC_API_KEY", "sk-door",
                "ANTHROPIC_BASE_URL", "http://127.0.0.1:1/models/anthropic",
                "OPENAI_BASE_URL", "http://own:1/v1",
                "CLAUDE_CODE_OAUTH_TOKEN", "a person's"));

        assertThat(kept)
                .isEqualTo(Map.of("OPENAI_BASE_URL", "http://own:1/v1", "CLAUDE_CODE_OAUTH_TOKEN", "a person's"));
    }

    @Test
    void the_home_of_gemini_where_its_login_is_stays_as_it_is() throws Exception {
        var tools = ProgramTools.of(KnownProgram.GEMINI, Permission.READ, "/bin/m", Map.of("HOME", "" + folder), true);

        assertThat(tools.variables()).isEmpty();
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void after_so_many_steps_it_asks_and_goes_on_in_its_session() throws Exception {
        claude(
                "{\"type\":\"system\",\"session_id\":\"s-1\"}\n" + TOOL.formatted(1) + TOOL.formatted(2)
                        + TOOL.formatted(3),
                "exec sleep 600");
        var executor = executor(login(2, Duration.ofHours(1)));

        executor.answer(prompt(), reply);
        assertThat(asked).singleElement().asString().contains("it may take 2 steps", "for as many again");

        claude(TOOL.formatted(1) + TOOL.formatted(2) + END, "");
        executor.answer(prompt(), reply);

        assertThat(asked).hasSize(1);
        assertThat(said).hasToString("done");
        assertThat(Files.readAllLines(folder.resolve("started")))
                .last()
                .asString()
                .endsWith("--resume s-1");
    }

    @Test
    void its_hours_are_of_a_day_and_a_restart_gives_no_new_ones() {
        var login = login(1, Duration.ofHours(2));
        login.begins();
        nanos.addAndGet(Duration.ofMinutes(90).toNanos());
        assertThat(login.next()).isEqualTo(Duration.ofSeconds(30));
        login.begins();
        nanos.addAndGet(Duration.ofMinutes(15).toNanos());
        assertThatThrownBy(login::next).isInstanceOf(OwnLogin.UsedUp.class).hasMessageContaining("2 h a day (UTC)");
        login.ends();
        login.ends();

        assertThatThrownBy(login(1, Duration.ofHours(2))::next).isInstanceOf(OwnLogin.UsedUp.class);
        assertThat(new OwnLogin(1, Duration.ofHours(2), folder, Clock.offset(NOON, Duration.ofDays(1)), nanos::get)
                        .next())
                .isPositive();
    }

    @Test
    void a_run_ends_with_its_hours_and_none_begins_without() throws Exception {
        claude(SPOKEN, "exec sleep 600");
        var executor = executor(login(9, Duration.ofSeconds(1)));
        executor.answer(prompt(), reply);
        executor.answer(prompt(), reply);

        assertThat(asked).hasSize(2).allMatch(question -> question.contains("today's are used up"));
        assertThat(Files.readAllLines(folder.resolve("started"))).hasSize(1);
    }

    @Test
    void its_card_says_that_nobody_meters_it() throws Exception {
        assertThat(executor(login(1, Duration.ofHours(1))).hasOwnLogin()).isTrue();
        var card = AgentCard.create("a", "", "1", "http://a", List.of());

        assertThat(AgentCard.withOwnLogin(card)
                        .at("/capabilities/extensions/1/uri")
                        .asText())
                .isEqualTo("urn:molecule:a2a:own-login");
    }

    private OwnLogin login(int steps, Duration day) {
        return new OwnLogin(steps, day, folder, NOON, nanos::get);
    }

    private CliExecutor executor(OwnLogin login) throws IOException {
        if (!Files.exists(folder.resolve("claude"))) {
            claude(END, "");
        }
        Map<String, String> environment = new HashMap<>();
        environment.put("PATH", folder + ":/usr/local/bin:/usr/bin:/bin");
        environment.put("HOME", folder.toString());
        environment.put("MOLECULE_WORKSPACE_FOLDER", folder.toString());
        return new CliExecutor(
                new AgentSetup("claude-code", "", "", List.of(), 0, () -> "", environment),
                new ProgramAllowance(Permission.READ),
                Optional.of(login));
    }

    private void claude(String lines, String then) throws IOException {
        Path claude = Files.writeString(
                folder.resolve("claude"),
                "#!/bin/sh\necho \"$*\" >> started\ncat > /dev/null\ncat <<'END'\n" + lines + "END\n" + then + "\n");
        assertThat(claude.toFile().setExecutable(true)).isTrue();
    }

    private static Prompt prompt() {
        return new Prompt(TASK, "c", "go", MissingNode.getInstance(), MissingNode.getInstance());
    }
}
