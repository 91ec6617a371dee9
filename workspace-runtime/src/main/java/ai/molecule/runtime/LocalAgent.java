package ai.molecule.runtime;

import ai.molecule.runtime.agent.AgentExecutor;
import ai.molecule.runtime.agent.AgentFailure;
import ai.molecule.runtime.agent.ModelTurn;
import ai.molecule.runtime.agent.Prompt;
import ai.molecule.runtime.agent.Reply;
import ai.molecule.runtime.agent.StepJournal;
import ai.molecule.runtime.agent.ToolUse;
import ai.molecule.runtime.skills.FolderStamp;
import ai.molecule.runtime.tools.Parked;
import ai.molecule.sdk.ClientConfig;
import ai.molecule.sdk.PlatformClient;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * The agent of a folder in this process, without a platform: one conversation, for its author. Prompt and skills are read anew for each message,
 * as always; of what counts from the next start {@link #stamp} tells when it changed.
 */
public final class LocalAgent implements AutoCloseable {

    /** Where nothing listens: what the platform would say is left out, and its tools answer that it is not there. */
    private static final String NO_PLATFORM = "http://127.0.0.1:1";

    private static final String ID = "local";
    private static final int HISTORY_MAX = 100;
    private static final int ENTRIES_MAX = 500;

    private final Path folder;
    private final WorkspaceConfig workspace;
    private final AgentExecutor executor;
    private final ArrayNode history = JsonNodeFactory.instance.arrayNode();
    private final String contextId = UUID.randomUUID().toString();
    private Optional<Task> open = Optional.empty();

    /**
     * How a message ended.
     *
     * @param asks whether the next message is the answer to a question
     * @param failure empty when there is none
     */
    public record LocalAnswer(boolean asks, String failure) {}

    private LocalAgent(Path folder, WorkspaceConfig workspace, AgentExecutor executor) {
        this.folder = folder;
        this.workspace = workspace;
        this.executor = executor;
    }

    /**
     * @param work what it works on; made where there is none
     * @param adapterOf which adapter the platform would run a runtime by
     * @throws PreflightFailure when it cannot start
     */
    public static LocalAgent start(
            Path folder, Path work, Map<String, String> environment, UnaryOperator<String> adapterOf) {
        Map<String, String> variables = new HashMap<>(environment);
        variables.put("WORKSPACE_ID", ID);
        variables.put("WORKSPACE_CONFIG_PATH", folder.toAbsolutePath().toString());
        variables.put("MOLECULE_WORKSPACE_FOLDER", work.toAbsolutePath().toString());
        variables.put("PLATFORM_URL", NO_PLATFORM);
        var config = RuntimeConfig.fromEnv(variables);
        var written = WorkspaceConfig.read(folder);
        var workspace = config.appliedTo(written.runBy(adapterOf.apply(written.runtime())));
        WorkspaceFolder.prepare(config.workspaceFolder());
        Preflight.check(workspace, folder, variables);
        var platform = new PlatformClient(ClientConfig.of(ID, NO_PLATFORM, config.tokens()));
        return new LocalAgent(folder, workspace, AgentKinds.create(config, workspace, platform));
    }

    /** The model that its {@code config.yaml} says. @throws PreflightFailure when it cannot be read */
    public static String modelIn(Path folder) {
        return WorkspaceConfig.read(folder).model();
    }

    /** Where it works when nobody says otherwise: beside its folder, because what lies in there is its own configuration. */
    public static Path workBeside(Path folder) {
        Path place = folder.toAbsolutePath().normalize();
        return place.resolveSibling(place.getFileName() + "-work");
    }

    AgentExecutor executor() {
        return executor;
    }

    public String name() {
        return workspace.name();
    }

    /** What runs it. */
    public String adapter() {
        return workspace.adapter();
    }

    public String model() {
        return workspace.model();
    }

    /** Another number as soon as something changed that a running agent does not read again. */
    public static long stamp(Path folder) {
        try (Stream<Path> entries = Files.list(folder)) {
            return FolderStamp.of(entries.filter(LocalAgent::countsFromTheNextStart)
                    .sorted()
                    .limit(ENTRIES_MAX)
                    .toArray(Path[]::new));
        } catch (IOException gone) {
            return 0;
        }
    }

    private static boolean countsFromTheNextStart(Path entry) {
        String name = String.valueOf(entry.getFileName());
        return Files.isDirectory(entry)
                ? name.equals("adapters") || name.equals("plugins")
                : !name.startsWith(".") && !name.endsWith(".md");
    }

    /** Another number as soon as something changed that counts from the next message. */
    public long promptStamp() {
        List<Path> places = new ArrayList<>(
                List.of(folder.resolve("skills"), folder.resolve("MEMORY.md"), folder.resolve("USER.md")));
        var files = workspace.materials().promptFiles();
        (files.isEmpty() ? List.of("system-prompt.md") : files).forEach(name -> places.add(folder.resolve(name)));
        return FolderStamp.of(places.toArray(Path[]::new));
    }

    /** Says something to it, or answers what it asked, and returns when it is done; interrupted, the agent stops. */
    public LocalAnswer say(String text, Reply ears) throws InterruptedException {
        var task = open.orElseGet(() -> new Task(UUID.randomUUID().toString(), new MemoryJournal()));
        open = Optional.empty();
        var message = JsonNodeFactory.instance
                .objectNode()
                .put("role", "user")
                .put("messageId", UUID.randomUUID().toString());
        message.putArray("parts").addObject().put("kind", "text").put("text", text);
        var metadata = JsonNodeFactory.instance.objectNode();
        metadata.set("history", history.deepCopy());
        var heard = new Heard(ears, task);
        String failure = answer(new Prompt(task.id(), contextId, text, message, metadata), heard);
        remember("user", text);
        remember("agent", heard.words.toString());
        if (heard.asked && failure.isEmpty()) {
            open = Optional.of(task);
        }
        return new LocalAnswer(open.isPresent(), failure);
    }

    private String answer(Prompt prompt, Reply heard) throws InterruptedException {
        try {
            executor.answer(prompt, heard);
            return "";
        } catch (InterruptedException e) {
            throw e;
        } catch (Parked waits) {
            return "it waits for " + waits.getMessage() + ", which only a platform has";
        } catch (AgentFailure told) {
            return String.valueOf(told.getMessage());
        } catch (Exception broken) {
            return broken.toString();
        }
    }

    private void remember(String role, String text) {
        if (!text.isBlank()) {
            history.addObject().put("role", role).putArray("parts").addObject().put("text", text);
        }
        while (history.size() > HISTORY_MAX) {
            history.remove(0);
        }
    }

    @Override
    public void close() {
        executor.close();
    }

    private record Task(String id, StepJournal steps) {}

    /** For as long as the process lives. */
    private static final class MemoryJournal implements StepJournal {

        private final List<JsonNode> steps = new ArrayList<>();

        @Override
        public synchronized List<JsonNode> done() {
            return List.copyOf(steps);
        }

        @Override
        public synchronized boolean keep(ObjectNode step, String said) {
            steps.add(step.deepCopy());
            return true;
        }
    }

    private static final class Heard implements Reply {

        private final Reply ears;
        private final Task task;
        private final StringBuilder words = new StringBuilder();
        private boolean asked;

        private Heard(Reply ears, Task task) {
            this.ears = ears;
            this.task = task;
        }

        @Override
        public void chunk(String text) {
            words.append(text);
            ears.chunk(text);
        }

        @Override
        public void text(String text) {
            words.append(text);
            ears.text(text);
        }

        @Override
        public void ask(String question) {
            asked = true;
            words.append(question);
            ears.ask(question);
        }

        @Override
        public void step(String what) {
            ears.step(what);
        }

        @Override
        public void used(ToolUse tool) {
            ears.used(tool);
        }

        @Override
        public void turned(ModelTurn turn) {
            ears.turned(turn);
        }

        @Override
        public StepJournal steps() {
            return task.steps();
        }
    }
}
