package ai.molecule.runtime.program;

import ai.molecule.runtime.agent.AgentExecutor;
import ai.molecule.runtime.agent.AgentFailure;
import ai.molecule.runtime.agent.NotReady;
import ai.molecule.runtime.agent.Prompt;
import ai.molecule.runtime.agent.Reply;
import ai.molecule.runtime.agent.Skill;
import ai.molecule.runtime.agent.SystemPrompt;
import ai.molecule.runtime.agent.ToolUse;
import ai.molecule.runtime.agent.Wedge;
import ai.molecule.runtime.tools.Excerpt;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Answers with what a program says that lives as long as the agent. One that ends is started again for the next message. */
public final class ProgramExecutor implements AgentExecutor {

    /** For one answer; {@code runtime_config.timeout} goes before it. */
    static final Duration ANSWER_MAX = Duration.ofHours(2);

    /** After one of these nothing more of the task is taken. */
    private static final Set<String> ENDS = Set.of("done", "ask", "failed", "gone");

    private static final int REASON_MAX_CHARS = 500;

    private final AgentProgram.Beginning beginning;
    private final SystemPrompt systemPrompt;
    private final Duration answerMax;
    private final Skill skill;
    private final Wedge wedge = new Wedge();
    private AgentProgram program;

    /** Starts the program, and waits until it is ready. */
    ProgramExecutor(AgentProgram.Beginning beginning, SystemPrompt systemPrompt) {
        this.beginning = beginning;
        this.systemPrompt = systemPrompt;
        int seconds = beginning.setup().timeoutSeconds();
        this.answerMax = seconds == 0 ? ANSWER_MAX : Duration.ofSeconds(seconds);
        try {
            this.program = AgentProgram.start(beginning, systemPrompt.text());
            this.skill = program.ready();
        } catch (IOException e) {
            throw new NotReady(
                    "Command",
                    beginning.command().getFirst() + " " + e.getMessage(),
                    "Try it with: molecule adapter check <folder>.");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new NotReady("Command", "interrupted", "Start it again.");
        }
    }

    @Override
    public Skill skill() {
        return skill;
    }

    @Override
    public List<Skill> skills() {
        return Stream.concat(Stream.of(skill), systemPrompt.skills().stream()).toList();
    }

    @Override
    public Optional<String> wedged() {
        return wedge.reason();
    }

    @Override
    public void close() {
        synchronized (this) {
            program.close();
        }
        systemPrompt.close();
    }

    @Override
    public void answer(Prompt prompt, Reply reply) throws InterruptedException {
        var running = running();
        BlockingQueue<JsonNode> said = running.hear(prompt.taskId());
        boolean ended = false;
        try {
            ObjectNode told = line("message", prompt)
                    .put("context", prompt.contextId())
                    .put("text", prompt.text())
                    .put("instructions", systemPrompt.text());
            told.set("message", prompt.message());
            running.tell(told);
            long deadline = System.nanoTime() + answerMax.toNanos();
            while (!ended) {
                JsonNode next = said.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                if (next == null) {
                    throw new AgentFailure("the program gave no answer within " + answerMax.toSeconds() + " s");
                }
                ended = ENDS.contains(next.path("type").asText());
                takes(next, reply, running);
            }
        } finally {
            running.over(prompt.taskId());
            if (!ended) {
                running.tell(line("cancel", prompt));
            }
        }
    }

    /** What is of no known type is for a later version of this. */
    private static void takes(JsonNode said, Reply reply, AgentProgram running) {
        switch (said.path("type").asText()) {
            case "chunk" -> reply.chunk(said.path("text").asText());
            case "step" -> reply.step(said.path("text").asText());
            case "tool" ->
                reply.used(new ToolUse(
                        said.path("name").asText(),
                        said.path("input").asText(),
                        said.path("output").asText()));
            case "done" -> reply.text(said.path("text").asText(""));
            case "ask" -> reply.ask(said.path("question").asText());
            case "failed" ->
                throw new AgentFailure(Excerpt.of(said.path("reason").asText("it did not say why"), REASON_MAX_CHARS));
            case "gone" -> throw new AgentFailure("the program " + running.ended());
            default -> {}
        }
    }

    private static ObjectNode line(String type, Prompt prompt) {
        return JsonNodeFactory.instance.objectNode().put("type", type).put("task", prompt.taskId());
    }

    /** The program, begun anew when it has ended. */
    private synchronized AgentProgram running() throws InterruptedException {
        if (program.isOpen()) {
            return program;
        }
        try {
            program = AgentProgram.start(beginning, systemPrompt.text());
            Skill _ = program.ready();
            wedge.free();
            return program;
        } catch (IOException e) {
            wedge.stuck("the program cannot be started again");
            throw new AgentFailure("the program cannot be started again: " + e.getMessage());
        }
    }
}
