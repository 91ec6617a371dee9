package ai.molecule.runtime.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.runtime.agent.AgentSetup;
import ai.molecule.runtime.agent.Prompt;
import ai.molecule.runtime.agent.RecordingReply;
import ai.molecule.runtime.tools.ToolSource;
import ai.molecule.runtime.tools.Toolbox;
import ai.molecule.runtime.tools.Workspaces;
import ai.molecule.sdk.ClientConfig;
import ai.molecule.sdk.TokenFile;
import ai.molecule.sdk.WorkspaceClient;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pictures that come with a message, and a model that sees. */
class ShowingPicturesTest {

    private static final byte[] PNG = {(byte) 0x89, 'P', 'N', 'G'};

    @TempDir
    private Path home;

    private Path folder;
    private ScriptedEndpoint endpoint;
    private final RecordingReply reply = new RecordingReply();

    @BeforeEach
    void start() throws Exception {
        endpoint = new ScriptedEndpoint();
        folder = Files.createDirectory(home.resolve("work"));
        Files.write(folder.resolve("shot 1.png"), PNG);
    }

    @AfterEach
    void stop() {
        endpoint.close();
    }

    @Test
    void a_picture_is_shown_beside_the_words_that_name_it() throws Exception {
        ask("what is it?\n\nAttached files:\n- shot (image/png) at shot 1.png\n- notes (text/plain) at notes.txt");

        var content = lastOf(0);
        assertThat(content).hasSize(2);
        assertThat(content.at("/0/text").asText()).startsWith("what is it?").contains("notes.txt");
        assertThat(content.at("/1/image_url/url").asText())
                .isEqualTo("data:image/png;base64," + Base64.getEncoder().encodeToString(PNG));
        assertThat(reply.answer()).startsWith("You said: what is it?");
    }

    @Test
    void what_lies_elsewhere_is_too_large_or_is_gone_is_named_and_not_shown() throws Exception {
        Files.write(home.resolve("secret.png"), PNG);
        Files.createSymbolicLink(folder.resolve("link.png"), home.resolve("secret.png"));
        Files.write(folder.resolve("large.png"), new byte[Pictures.PICTURE_MAX_BYTES + 1]);

        ask("- a (image/png) at ../secret.png\n- b (image/png) at link.png\n- c (image/png) at large.png\n"
                + "- d (image/png) at gone.png\n- e (image/svg+xml) at shot 1.png");

        assertThat(lastOf(0).isTextual()).isTrue();
    }

    @Test
    void no_more_are_shown_than_a_request_may_hold() throws Exception {
        ask("- a (image/png) at shot 1.png\n".repeat(Pictures.PICTURES_MAX + 3));

        assertThat(lastOf(0)).hasSize(1 + Pictures.PICTURES_MAX);
    }

    @Test
    void a_model_that_refuses_them_is_asked_without_and_shown_none_for_a_while() throws Exception {
        var executor = executor();
        String words = "no pictures\n- shot (image/png) at shot 1.png";

        executor.answer(prompt(words), reply);
        executor.answer(prompt(words), new RecordingReply());

        assertThat(reply.answer()).startsWith("You said: no pictures");
        assertThat(List.of(lastOf(0).isArray(), lastOf(1).isArray(), lastOf(2).isArray()))
                .containsExactly(true, false, false);
    }

    private void ask(String text) throws Exception {
        executor().answer(prompt(text), reply);
    }

    private ModelExecutor executor() {
        var setup = new AgentSetup(
                "langgraph",
                "scripted",
                "",
                List.of(),
                0,
                () -> "",
                Map.of("OPENAI_BASE_URL", endpoint.url(), "MOLECULE_WORKSPACE_FOLDER", folder.toString()));
        var nobody = new WorkspaceClient(ClientConfig.of("w", "http://127.0.0.1:1", TokenFile.in(home)));
        return new ModelExecutor(
                setup, List.of(), ToolSource.NONE, new Toolbox(new Workspaces(List.of(nobody)), Optional.empty()));
    }

    private static Prompt prompt(String text) {
        return new Prompt("t", "c", text, MissingNode.getInstance(), MissingNode.getInstance());
    }

    /** Of the n-th request, the last message's content. */
    private JsonNode lastOf(int request) {
        var messages = endpoint.requests.get(request).path("messages");
        return messages.path(messages.size() - 1).path("content");
    }
}
