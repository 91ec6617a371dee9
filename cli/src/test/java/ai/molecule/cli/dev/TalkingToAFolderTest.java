package ai.molecule.cli.dev;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code molecule dev}: an agent of a folder that is talked to while its author changes it. */
class TalkingToAFolderTest {

    @TempDir
    private Path home;

    private Path folder;

    private final ByteArrayOutputStream shown = new ByteArrayOutputStream();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final PipedOutputStream typing = new PipedOutputStream();
    private HttpServer model;
    private CompletableFuture<Integer> ended = new CompletableFuture<>();

    @BeforeEach
    void start() throws IOException {
        folder = Files.createDirectories(home.resolve("coder"));
        model = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        model.createContext("/", this::answer);
        model.start();
    }

    @AfterEach
    void stop() throws IOException {
        typing.close();
        model.stop(0);
    }

    @Test
    void each_step_is_shown_with_its_cost_and_what_was_said_before_is_known() throws Exception {
        config("name: Coder\nruntime: langchain4j\nmodel: openai:gpt-4o\ntools: [files]\n");
        Files.writeString(folder.resolve("system-prompt.md"), "You code.");
        dev();

        type("write it");
        awaitShown("2 turns, 2,200 tokens");
        type("and now?");
        await().until(() -> asked.size() == 3);
        type("/quit");

        assertThat(ended.get()).isZero();
        assertThat(home.resolve("coder-work/a.txt")).hasContent("hello");
        assertThat(text())
                .contains("Coder is here (langchain4j, openai:gpt-4o).")
                .containsPattern("1\\. turn {2}1,000 tokens in, 100 out {2}\\$0\\.00\\d\\d\n")
                .contains("  · write {\"path\":\"a.txt\",\"text\":\"hello\"}  →  Written: a.txt, 5 bytes.\n", "Done.\n")
                .containsPattern("2 turns, 2,200 tokens, \\$0\\.00\\d\\d, 1 tool, ");
        assertThat(asked.get(2)).contains("You code.", "write it", "Done.", "and now?");
    }

    @Test
    void a_saved_prompt_counts_from_the_next_message() throws Exception {
        config("name: Coder\nruntime: langchain4j\nmodel: openai:gpt-4o\n");
        Path prompt = Files.writeString(folder.resolve("system-prompt.md"), "You code.");
        dev();
        awaitShown("is here");

        Files.writeString(prompt, "You write poems.");
        awaitShown("its prompt and skills count from your next message");
        type("hello");
        await().until(() -> !asked.isEmpty());

        assertThat(asked.getFirst()).contains("You write poems.").doesNotContain("You code.");
    }

    @Test
    void a_saved_skill_counts_from_the_next_message_and_a_saved_tool_begins_it_anew_with_it() throws Exception {
        config("name: Coder\nruntime: langchain4j\nmodel: openai:gpt-4o\nskills: [poems]\ntools: [files]\n");
        Path skill = Files.createDirectories(folder.resolve("skills/poems")).resolve("SKILL.md");
        Files.writeString(skill, "---\nname: poems\ndescription: Poems.\n---\nPoems have four lines.\n");
        dev();
        type("hello");
        awaitShown("2 turns");
        assertThat(asked.getFirst()).contains("Poems have four lines.").doesNotContain("\"fetch\"");

        Files.writeString(skill, "---\nname: poems\ndescription: Poems.\n---\nPoems have twelve lines.\n");
        awaitShown("its prompt and skills count from your next message");
        type("again");
        await().until(() -> asked.size() == 3);
        assertThat(asked.get(2)).contains("Poems have twelve lines.", "hello");
        config(
                "name: Coder\nruntime: langchain4j\ntier: 2\nmodel: openai:gpt-4o\nskills: [poems]\ntools: [files, fetch]\n");
        awaitShown("it begins anew");
        type("and now?");
        await().until(() -> asked.size() == 4);

        assertThat(asked.get(3)).contains("\"fetch\"");
    }

    @Test
    void a_saved_configuration_begins_it_anew_and_a_mistake_in_it_is_told() throws Exception {
        config("name: First\nruntime: echo\n");
        dev();
        type("hello");
        awaitShown("Echo: hello\n");

        config("name: First\nruntime: nonsense\n");
        awaitShown("runtime nonsense cannot run here");
        type("hello?");
        awaitShown("There is no agent yet");
        config("name: Second one\nruntime: echo\n");
        awaitShown("Second one is here (echo)");
        type("again");
        awaitShown("Echo: again\n");
        type("/quit");

        assertThat(ended.get()).isZero();
    }

    @Test
    void a_folder_without_an_agent_is_told_how_to_begin() {
        assertThat(new CommandLine(new DevCommand(Map.of(), System.in, new PrintStream(shown)))
                        .setExecutionExceptionHandler((failure, command, parsed) -> {
                            assertThat(failure).hasMessageContaining("has no config.yaml; ./molecule adapter new");
                            return 2;
                        })
                        .execute(folder.toString()))
                .isEqualTo(2);
    }

    private void config(String text) throws IOException {
        Files.writeString(folder.resolve("config.yaml"), text);
    }

    private void dev() throws IOException {
        var in = new PipedInputStream(typing);
        var command = new DevCommand(
                Map.of(
                        "OPENAI_BASE_URL",
                        "http://127.0.0.1:" + model.getAddress().getPort()),
                in,
                new PrintStream(shown, true, StandardCharsets.UTF_8));
        ended = CompletableFuture.supplyAsync(() -> new CommandLine(command).execute(folder.toString()));
    }

    private void type(String line) throws IOException {
        typing.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        typing.flush();
    }

    private String text() {
        return shown.toString(StandardCharsets.UTF_8);
    }

    private void awaitShown(String words) {
        await().untilAsserted(() -> assertThat(text()).contains(words));
    }

    /** Asks for a file to be written first, and is done then. */
    private void answer(HttpExchange exchange) throws IOException {
        asked.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
        boolean first = asked.size() == 1;
        String delta = first
                ? "{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"type\":\"function\",\"function\":{\"name\":\"write\",\"arguments\":\"{\\\"path\\\":\\\"a.txt\\\",\\\"text\\\":\\\"hello\\\"}\"}}]}"
                : "{\"content\":\"Done.\"}";
        String events = "data: {\"id\":\"1\",\"choices\":[{\"index\":0,\"delta\":" + delta + "}]}\n\n"
                + "data: {\"id\":\"1\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\""
                + (first ? "tool_calls" : "stop") + "\"}]}\n\n"
                + "data: {\"id\":\"1\",\"choices\":[],\"usage\":{\"prompt_tokens\":1000,\"completion_tokens\":100,\"total_tokens\":1100}}\n\n"
                + "data: [DONE]\n\n";
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        try (var body = exchange.getResponseBody()) {
            body.write(events.getBytes(StandardCharsets.UTF_8));
        }
    }
}
