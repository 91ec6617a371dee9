package ai.molecule.runtime.program;

import ai.molecule.runtime.agent.AgentSetup;
import ai.molecule.runtime.agent.Skill;
import ai.molecule.runtime.processes.ProcessTree;
import ai.molecule.runtime.tools.Excerpt;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.StreamSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One run of the program: a JSON object a line on its standard input and output. What it says on standard error goes to the agent's log. */
final class AgentProgram implements AutoCloseable {

    static final int PROTOCOL = 1;
    static final int LINE_MAX_BYTES = 1024 * 1024;

    /** From its start until it says that it is ready. */
    static final Duration READY_MAX = Duration.ofSeconds(30);

    /** After it was told to stop, before it is killed. */
    static final Duration STOP_MAX = Duration.ofSeconds(1);

    /** Of a program that does not read, so many lines wait. */
    private static final int WAITING_MAX = 256;

    /** Of one task that nobody takes; a program that says more is read no further until they are. */
    private static final int UNREAD_MAX = 1_000;

    private static final Logger LOGGER = LoggerFactory.getLogger(AgentProgram.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int LOGGED_MAX_CHARS = 500;
    private static final String MARK = "MOLECULE_AGENT_PROGRAM";

    /**
     * What it is started from.
     *
     * @param folder where it is started: the configuration's, so that its files are found
     * @param work what the agent works on
     */
    record Beginning(List<String> command, Map<String, String> environment, Path folder, Path work, AgentSetup setup) {}

    /** What the program said of one task; {@code end} is the last, also when the program is gone. */
    private static final ObjectNode GONE = JSON.createObjectNode().put("type", "gone");

    private final Process process;
    private final ProcessTree tree;
    private final CompletableFuture<Skill> ready = new CompletableFuture<>();
    private final BlockingQueue<byte[]> outgoing = new ArrayBlockingQueue<>(WAITING_MAX);
    private final Map<String, BlockingQueue<JsonNode>> tasks = new ConcurrentHashMap<>();
    private volatile String ended = ""; // why; set once

    private AgentProgram(Process process, ProcessTree tree) {
        this.process = process;
        this.tree = tree;
    }

    /** Starts it and tells it what it is; {@link #ready} waits for its word. */
    static AgentProgram start(Beginning beginning, String instructions) throws IOException {
        String mark = UUID.randomUUID().toString();
        var builder = new ProcessBuilder(beginning.command())
                .directory(beginning.folder().toFile());
        builder.environment().clear();
        builder.environment().putAll(beginning.environment());
        builder.environment().put(MARK, mark);
        Process process = builder.start();
        var program = new AgentProgram(process, new ProcessTree(process, MARK + "=" + mark));
        program.inBackground("read", program::read);
        program.inBackground("write", program::write);
        program.inBackground("errors", program::listen);
        var setup = beginning.setup();
        program.tell(JSON.createObjectNode()
                .put("type", "start")
                .put("protocol", PROTOCOL)
                .put("workspace_id", beginning.environment().getOrDefault("WORKSPACE_ID", ""))
                .put("runtime", setup.runtime())
                .put("model", setup.model())
                .put("folder", beginning.work().toString())
                .put("instructions", instructions));
        return program;
    }

    /** What it can do. @throws IOException when it does not say so in time */
    Skill ready() throws IOException, InterruptedException {
        try {
            return ready.get(READY_MAX.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException late) {
            end("did not say that it is ready within " + READY_MAX.toSeconds() + " s");
            throw new IOException(ended);
        } catch (ExecutionException gone) {
            throw new IOException(ended);
        }
    }

    boolean isOpen() {
        return ended.isEmpty();
    }

    String ended() {
        return ended;
    }

    /** What it will say of a task. Asked before it is told of the task, and {@linkplain #over given up} in the end. */
    BlockingQueue<JsonNode> hear(String taskId) {
        var said = new ArrayBlockingQueue<JsonNode>(UNREAD_MAX + 1);
        tasks.put(taskId, said);
        if (!isOpen()) {
            boolean _ = said.offer(GONE); // it ended before the task stood in the table
        }
        return said;
    }

    void over(String taskId) {
        tasks.remove(taskId);
    }

    void tell(ObjectNode line) {
        if (!outgoing.offer((line + "\n").getBytes(StandardCharsets.UTF_8))) {
            end("does not read what it is told");
        }
    }

    /** Asks it to stop, and kills what is left of it. */
    @Override
    public void close() {
        tell(JSON.createObjectNode().put("type", "stop"));
        try {
            boolean _ = process.waitFor(STOP_MAX.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        end("was stopped");
        tree.kill();
    }

    private void read() throws IOException, InterruptedException {
        var in = new BufferedInputStream(process.getInputStream());
        var line = new ByteArrayOutputStream();
        for (int next = in.read(); next >= 0 && isOpen(); next = in.read()) {
            if (next == '\n') {
                take(line.toByteArray());
                line.reset();
            } else if (line.size() < LINE_MAX_BYTES) {
                line.write(next);
            } else {
                end("wrote a line of more than 1 MiB");
            }
        }
        end(
                process.waitFor(STOP_MAX.toMillis(), TimeUnit.MILLISECONDS)
                        ? "ended with exit code " + process.exitValue()
                        : "closed its output");
    }

    private void take(byte[] bytes) throws InterruptedException {
        String line = new String(bytes, StandardCharsets.UTF_8).strip();
        if (line.isEmpty()) {
            return;
        }
        Optional<JsonNode> message = message(line);
        if (message.isEmpty()) {
            end("wrote a line that is no JSON object with a type");
        } else if (message.get().path("type").asText().equals("ready")) {
            ready.complete(skill(message.get().path("skill")));
        } else {
            var task = tasks.get(message.get().path("task").asText());
            if (task != null) {
                task.put(message.get());
            }
        }
    }

    private static Optional<JsonNode> message(String line) {
        try {
            return Optional.of(JSON.readTree(line))
                    .filter(node -> node.path("type").isTextual());
        } catch (JsonProcessingException notJson) {
            return Optional.empty();
        }
    }

    private static Skill skill(JsonNode told) {
        return new Skill(
                told.path("id").asText("program"),
                told.path("name").asText("Program"),
                told.path("description").asText("Works on a task with a program of its own."),
                StreamSupport.stream(told.path("tags").spliterator(), false)
                        .map(JsonNode::asText)
                        .limit(20)
                        .toList());
    }

    private void write() throws IOException, InterruptedException {
        try (OutputStream out = process.getOutputStream()) {
            while (isOpen()) {
                byte[] line = outgoing.poll(1, TimeUnit.SECONDS);
                if (line != null) {
                    out.write(line);
                    out.flush();
                }
            }
        }
    }

    private void listen() throws IOException {
        InputStream errors = process.getErrorStream();
        byte[] buffer = new byte[8192];
        for (int length = errors.read(buffer); length >= 0; length = errors.read(buffer)) {
            LOGGER.atInfo()
                    .addKeyValue(
                            "stderr",
                            Excerpt.of(new String(buffer, 0, length, StandardCharsets.UTF_8).strip(), LOGGED_MAX_CHARS))
                    .log("the program wrote");
        }
    }

    private void end(String why) {
        synchronized (this) {
            if (!ended.isEmpty()) {
                return;
            }
            ended = why;
        }
        LOGGER.atInfo().addKeyValue("why", why).log("the agent's program ended");
        ready.completeExceptionally(new IOException(why));
        tasks.values().forEach(said -> {
            while (!said.offer(GONE)) {
                said.poll(); // what it said last is of no use any more
            }
        });
        Thread.ofVirtual().name("program-end").start(tree::kill);
    }

    private interface Step {
        void run() throws IOException, InterruptedException;
    }

    private void inBackground(String what, Step step) {
        Thread.ofVirtual().name("program-" + what).start(() -> {
            try {
                step.run();
            } catch (IOException gone) {
                if (!what.equals("errors")) {
                    end("is gone");
                }
            } catch (InterruptedException nobodyDoes) {
                Thread.currentThread().interrupt();
            }
        });
    }
}
