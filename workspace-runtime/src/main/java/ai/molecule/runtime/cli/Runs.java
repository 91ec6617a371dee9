package ai.molecule.runtime.cli;

import ai.molecule.runtime.agent.Prompt;
import ai.molecule.runtime.agent.SystemPrompt;
import ai.molecule.runtime.processes.ProcessHold;
import ai.molecule.runtime.processes.ProcessRoom;
import ai.molecule.runtime.processes.ProcessTree;
import ai.molecule.runtime.processes.Programs;
import ai.molecule.runtime.shell.OwnCommand;
import ai.molecule.runtime.tools.Toolbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts the program for a message, with what it must know of it, and says by its kind what went wrong. */
final class Runs {

    private static final String CANNOT_START = "subprocess_error";

    /** What the agent has started leaves none for its processes. */
    private static final String NO_ROOM = "no_room_for_processes";

    /** What the next message will not put right. */
    static final Set<String> WANTS_A_PERSON = Set.of("auth_failed", CANNOT_START);

    private static final Logger LOGGER = LoggerFactory.getLogger(Runs.class);
    private static final String MARK = "MOLECULE_TASK_ID";
    private static final Duration LOOK_INTERVAL = Duration.ofSeconds(1);

    private final CliCommand command;
    private final SystemPrompt systemPrompt;
    private final Optional<KnownProgram> known;
    private final Permission permission;
    private final Optional<ModelPort> models;
    private final Optional<OwnLogin> login;
    private final ProcessRoom room;

    /**
     * @param known which is told of the tools it can use, and where its models are
     * @param models where it finds models; empty to leave that to its environment
     * @param login its own, where it has one
     * @param room for what it starts
     */
    Runs(
            CliCommand command,
            SystemPrompt systemPrompt,
            Optional<KnownProgram> known,
            Permission permission,
            Optional<ModelPort> models,
            Optional<OwnLogin> login,
            ProcessRoom room) {
        this.login = login;
        this.room = room;
        this.models = models;
        this.permission = permission;
        this.command = command;
        this.systemPrompt = systemPrompt;
        this.known = known;
    }

    /**
     * One run to its end.
     *
     * @param words what the program reads
     * @param session the one to go on with
     * @return the kind of failure; empty when there is none
     */
    String run(Prompt prompt, String words, Optional<String> session, Output output) throws InterruptedException {
        if (models.isEmpty()) {
            return run(prompt, words, session, output, environment(prompt), () -> Duration.ZERO);
        }
        try (var way = models.get().wayFor(prompt)) {
            return run(prompt, words, session, output, way.in(environment(prompt)), way::rested);
        }
    }

    private String run(
            Prompt prompt,
            String words,
            Optional<String> session,
            Output output,
            Map<String, String> environment,
            Supplier<Duration> stood)
            throws InterruptedException {
        List<String> last =
                known.flatMap(program -> session.map(program::goingOn)).orElse(List.of());
        try (var tools = tools(environment)) {
            List<String> options = new ArrayList<>(tools.options());
            known.ifPresent(program -> options.addAll(program.askingModels(environment)));
            environment.putAll(tools.variables());
            var start = command.start(systemPrompt.text(), words, options, last);
            String program = start.words().getFirst();
            if (Programs.find(program, environment).isEmpty()) { // what holds it would start all the same
                return failed(prompt, CANNOT_START, "there is no program " + program);
            }
            OptionalInt most = room.forOne();
            if (most.isEmpty()) {
                return failed(prompt, NO_ROOM, "");
            }
            try (var hold = ProcessHold.ofOneThatStays(most.getAsInt(), environment)) {
                return run(prompt, start.within(hold), environment, output, stood);
            }
        } catch (IOException e) {
            return failed(prompt, CANNOT_START, e.toString());
        }
    }

    private ProgramTools tools(Map<String, String> environment) throws IOException {
        String molecule = environment.getOrDefault(OwnCommand.VARIABLE, "");
        return known.isEmpty() || molecule.isEmpty()
                ? new ProgramTools(List.of(), Map.of(), Optional.empty())
                : ProgramTools.of(known.get(), permission, molecule, environment, login.isPresent());
    }

    private String run(
            Prompt prompt,
            CliCommand.Start start,
            Map<String, String> environment,
            Output output,
            Supplier<Duration> stood)
            throws InterruptedException {
        login.ifPresent(OwnLogin::next); // before anything is begun
        CommandRun run;
        try {
            Process process = started(start, environment);
            run = new CommandRun(process, new ProcessTree(process, MARK + "=" + prompt.taskId()));
        } catch (IOException e) {
            return failed(prompt, CANNOT_START, e.toString());
        }
        var complaint = run.complaint();
        login.ifPresent(OwnLogin::begins);
        try {
            int exitCode = run.await(start.input(), output, command.timeout(), stood, this::looked);
            complaint.add(output.complaint());
            return exitCode == 0 && output.complaint().isEmpty()
                    ? ""
                    : failed(prompt, complaint.kind(exitCode), complaint.forTheLog(command.environment()));
        } catch (NoRoom taken) {
            return failed(prompt, NO_ROOM, complaint.forTheLog(command.environment()));
        } catch (TimeoutException e) {
            String kind = "timeout after " + command.timeout().toSeconds() + " s";
            return failed(prompt, kind, complaint.forTheLog(command.environment()));
        } finally {
            login.ifPresent(OwnLogin::ends);
        }
    }

    /** What several have started at once can take what each alone may not. */
    private Duration looked() {
        if (room.isTaken()) {
            throw new NoRoom();
        }
        Duration next = login.map(OwnLogin::next).orElse(LOOK_INTERVAL);
        return next.compareTo(LOOK_INTERVAL) < 0 ? next : LOOK_INTERVAL;
    }

    private Map<String, String> environment(Prompt prompt) {
        Map<String, String> environment = new HashMap<>(command.environment());
        environment.put(MARK, prompt.taskId());
        environment.put("MOLECULE_CONTEXT_ID", prompt.contextId());
        if (prompt.isInitial()) {
            environment.put(Toolbox.HANDS_NOTHING_ON, "1");
        }
        return environment;
    }

    /** In the folder the agent works on. */
    private static Process started(CliCommand.Start start, Map<String, String> environment) throws IOException {
        var builder = new ProcessBuilder(start.words());
        builder.environment().clear();
        builder.environment().putAll(environment);
        builder.environment().putAll(start.variables());
        Path folder = Path.of(environment.getOrDefault("MOLECULE_WORKSPACE_FOLDER", ""));
        if (Files.isDirectory(folder)) {
            builder.directory(folder.toAbsolutePath().toFile());
        }
        return builder.start();
    }

    private static String failed(Prompt prompt, String kind, String complaint) {
        LOGGER.atWarn()
                .addKeyValue("taskId", prompt.taskId())
                .addKeyValue("kind", kind)
                .addKeyValue("stderr", complaint)
                .log("command failed");
        return kind;
    }

    private static final class NoRoom extends RuntimeException {
        private static final long serialVersionUID = 1;
    }
}
