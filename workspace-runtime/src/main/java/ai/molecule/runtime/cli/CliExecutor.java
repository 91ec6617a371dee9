package ai.molecule.runtime.cli;

import ai.molecule.runtime.agent.AgentExecutor;
import ai.molecule.runtime.agent.AgentFailure;
import ai.molecule.runtime.agent.AgentSetup;
import ai.molecule.runtime.agent.Prompt;
import ai.molecule.runtime.agent.Reply;
import ai.molecule.runtime.agent.Said;
import ai.molecule.runtime.agent.Skill;
import ai.molecule.runtime.agent.SystemPrompt;
import ai.molecule.runtime.tools.Toolbox;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers with what a program says. A run that fails is told by its kind; what the program complained of stays in the log. */
public final class CliExecutor implements AgentExecutor {

    /** Programs that run at the same time; further messages wait for their turn. */
    static final int RUNS_MAX = 8;

    private static final Logger LOGGER = LoggerFactory.getLogger(CliExecutor.class);
    private static final String MARK = "MOLECULE_TASK_ID";

    private final CliCommand command;
    private final SystemPrompt systemPrompt;
    private final Semaphore turns = new Semaphore(RUNS_MAX, true);
    private final Skill skill;

    /** @throws ai.molecule.runtime.agent.NotReady when there is nothing to start, or it is not installed */
    public CliExecutor(AgentSetup setup) {
        this.command = CliCommand.of(setup);
        this.systemPrompt = setup.systemPrompt();
        this.skill = new Skill(
                setup.runtime(), setup.runtime(), "Works on a task with a program of its own.", List.of("cli"));
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
    public void close() {
        systemPrompt.close();
    }

    @Override
    public void answer(Prompt prompt, Reply reply) throws InterruptedException {
        turns.acquire();
        try {
            run(prompt, reply);
        } finally {
            turns.release();
        }
    }

    private void run(Prompt prompt, Reply reply) throws InterruptedException {
        var start = command.start(systemPrompt.text(), words(prompt));
        var run = start(prompt, start);
        try {
            int exitCode = run.await(start.input(), reply, command.timeout());
            if (exitCode != 0) {
                throw failure(prompt, run, run.complaint().kind(exitCode));
            }
        } catch (TimeoutException e) {
            throw failure(prompt, run, "timeout after " + command.timeout().toSeconds() + " s");
        }
    }

    private CommandRun start(Prompt prompt, CliCommand.Start start) {
        var builder = new ProcessBuilder(start.words());
        builder.environment().clear();
        builder.environment().putAll(start.environment());
        builder.environment().put(MARK, prompt.taskId());
        builder.environment().put("MOLECULE_CONTEXT_ID", prompt.contextId());
        if (prompt.isInitial()) {
            builder.environment().put(Toolbox.HANDS_NOTHING_ON, "1");
        }
        try {
            Process process = builder.start();
            return new CommandRun(process, new ProcessTree(process, MARK + "=" + prompt.taskId()));
        } catch (IOException e) {
            LOGGER.atError().addKeyValue("taskId", prompt.taskId()).setCause(e).log("command cannot be started");
            throw new AgentFailure("the command failed (subprocess_error), see the workspace log", e);
        }
    }

    private AgentFailure failure(Prompt prompt, CommandRun run, String kind) {
        LOGGER.atWarn()
                .addKeyValue("taskId", prompt.taskId())
                .addKeyValue("kind", kind)
                .addKeyValue("stderr", run.complaint().forTheLog(command.environment()))
                .log("command failed");
        return new AgentFailure("the command failed (" + kind + "), see the workspace log");
    }

    /** The message alone, or after the conversation it belongs to. */
    private static String words(Prompt prompt) {
        List<Said> before = Said.before(prompt);
        if (before.isEmpty()) {
            return prompt.text();
        }
        var words = new StringBuilder("The conversation so far:\n");
        before.forEach(said -> words.append(said.byUser() ? "User: " : "You: ")
                .append(said.text())
                .append('\n'));
        return words.append("\nThe message to answer:\n").append(prompt.text()).toString();
    }
}
