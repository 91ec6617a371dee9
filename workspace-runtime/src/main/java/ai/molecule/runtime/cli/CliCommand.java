package ai.molecule.runtime.cli;

import ai.molecule.runtime.agent.AgentSetup;
import ai.molecule.runtime.agent.NotReady;
import ai.molecule.runtime.processes.ProcessHold;
import ai.molecule.runtime.processes.Programs;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What is started for a message.
 *
 * @param program the program and what it is always told; the message is not among it, it is read from standard input
 * @param args of its owner, which come last
 * @param told how it learns what it is
 * @param timeout how long one run may take
 */
record CliCommand(
        List<String> program, List<String> args, Told told, Map<String, String> environment, Duration timeout) {

    /** How a program learns what a model is told before everything else. */
    enum Told {
        /** By {@code --append-system-prompt}; what is too long for that goes before the message. */
        BY_ARGUMENT,
        /** It reads it before the message. */
        BEFORE_THE_MESSAGE,
        /** By the variable {@code MOLECULE_SYSTEM_PROMPT}, which a program of one's own may ignore. */
        BY_VARIABLE
    }

    /**
     * One run, as it is started.
     *
     * @param variables besides those of the environment
     */
    record Start(List<String> words, Map<String, String> variables, String input) {

        Start within(ProcessHold hold) {
            return new Start(hold.around(words), variables, input);
        }
    }

    static final Duration TIMEOUT = Duration.ofMinutes(30);

    static final String VARIABLE = "MOLECULE_SYSTEM_PROMPT";

    /** Linux takes 128 KiB for one argument or variable. */
    private static final int ARGUMENT_MAX_BYTES = 120_000;

    private static final Duration TIMEOUT_MAX = Duration.ofHours(24);

    /** Meant for the agent itself: another program would take its place on the platform, or end with it. */
    private static final List<String> OURS_ALONE = List.of(
            "MOLECULE_LIFELINE", "MOLECULE_AGENT_HOST", "MOLECULE_AGENT_PORT", "MOLECULE_ADAPTER", "MOLECULE_RUNTIME");

    CliCommand {
        program = List.copyOf(program);
        args = List.copyOf(args);
        environment = Map.copyOf(environment);
    }

    /** @throws NotReady when there is nothing to start, it is not installed, or it needs more than it is allowed */
    static CliCommand of(AgentSetup setup, ProgramAllowance allowance) {
        Optional<KnownProgram> known = KnownProgram.of(setup.runtime(), setup.command());
        if (setup.timeoutSeconds() < 0 || setup.timeoutSeconds() > TIMEOUT_MAX.toSeconds()) {
            throw new NotReady(
                    "Configuration",
                    "runtime_config.timeout is " + setup.timeoutSeconds(),
                    "Set it to seconds, at most 86400; 0 is half an hour.");
        }
        var environment = new HashMap<>(setup.environment());
        OURS_ALONE.forEach(environment::remove);
        environment.remove(VARIABLE);
        known.ifPresent(each -> environment.putAll(each.variables(allowance.permission())));
        return new CliCommand(
                program(setup, known, allowance, environment),
                setup.args(),
                known.map(each -> each.told).orElse(Told.BY_VARIABLE),
                environment,
                setup.timeoutSeconds() == 0 ? TIMEOUT : Duration.ofSeconds(setup.timeoutSeconds()));
    }

    /**
     * @param options of this run alone
     * @param last words that come behind all others
     */
    Start start(String systemPrompt, String message, List<String> options, List<String> last) {
        List<String> words = new ArrayList<>(program);
        words.addAll(options);
        Map<String, String> variables = new HashMap<>();
        boolean fits = systemPrompt.getBytes(StandardCharsets.UTF_8).length <= ARGUMENT_MAX_BYTES;
        String input = message;
        if (!systemPrompt.isEmpty() && fits && told == Told.BY_ARGUMENT) {
            words.addAll(List.of("--append-system-prompt", systemPrompt));
        } else if (!systemPrompt.isEmpty() && fits && told == Told.BY_VARIABLE) {
            variables.put(VARIABLE, systemPrompt);
        } else if (!systemPrompt.isEmpty()) {
            input = systemPrompt + "\n\n---\n\n" + message;
        }
        words.addAll(args);
        words.addAll(last);
        return new Start(words, variables, input);
    }

    private static List<String> program(
            AgentSetup setup,
            Optional<KnownProgram> known,
            ProgramAllowance allowance,
            Map<String, String> environment) {
        if (!setup.command().isEmpty()) {
            return List.of(installed(setup.command(), setup));
        }
        KnownProgram program = known.orElseThrow(() -> unknown(setup));
        String path = installed(program.command(), setup);
        program.requireMemory(allowance);
        boolean held = program != KnownProgram.CODEX || CodexSandbox.holds(path, allowance, environment);
        List<String> words = new ArrayList<>(program.words(model(setup), allowance.permission(), held));
        words.set(0, path);
        return words;
    }

    private static NotReady unknown(AgentSetup setup) {
        return new NotReady(
                "Command",
                "runtime " + setup.runtime() + " has no command",
                "Set runtime_config.command in config.yaml to the program that answers.");
    }

    /** A model of somebody else's, as the default of the configuration is for most, leaves the choice to the program. */
    private static String model(AgentSetup setup) {
        String provider = KnownProgram.of(setup.runtime(), setup.command())
                .map(each -> each.provider)
                .orElse("");
        return setup.provider().isEmpty() || setup.provider().equals(provider) ? setup.modelName() : "";
    }

    private static String installed(String program, AgentSetup setup) {
        return Programs.find(program, setup.environment())
                .map(Path::toAbsolutePath)
                .orElseThrow(() -> new NotReady(
                        "Command",
                        program + " is not installed: no such program "
                                + (program.contains("/") ? "is there" : "is on the PATH"),
                        "Install it, or set runtime_config.command in config.yaml to one that is."))
                .toString();
    }
}
