package ai.molecule.runtime.cli;

import ai.molecule.runtime.agent.AgentSetup;
import ai.molecule.runtime.agent.NotReady;
import ai.molecule.runtime.processes.Programs;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

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
    record Start(List<String> words, Map<String, String> variables, String input) {}

    private static final String CLAUDE = "claude-code";

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

    /** @throws NotReady when there is nothing to start, or it is not installed */
    static CliCommand of(AgentSetup setup) {
        boolean own = !setup.command().isEmpty();
        List<String> program = own ? new ArrayList<>(List.of(setup.command())) : preset(setup);
        program.set(0, installed(program.getFirst(), setup));
        if (setup.timeoutSeconds() < 0 || setup.timeoutSeconds() > TIMEOUT_MAX.toSeconds()) {
            throw new NotReady(
                    "Configuration",
                    "runtime_config.timeout is " + setup.timeoutSeconds(),
                    "Set it to seconds, at most 86400; 0 is half an hour.");
        }
        var environment = new HashMap<>(setup.environment());
        OURS_ALONE.forEach(environment::remove);
        environment.remove(VARIABLE);
        return new CliCommand(
                program,
                setup.args(),
                own ? Told.BY_VARIABLE : told(setup.runtime()),
                environment,
                setup.timeoutSeconds() == 0 ? TIMEOUT : Duration.ofSeconds(setup.timeoutSeconds()));
    }

    private static Told told(String runtime) {
        return runtime.equals(CLAUDE) ? Told.BY_ARGUMENT : Told.BEFORE_THE_MESSAGE;
    }

    /** Whether it is the program {@code claude} as we start it, whose events, sessions and options are known. */
    static boolean isClaude(String runtime, String command) {
        return command.isEmpty() && runtime.equals(CLAUDE);
    }

    /** @param options of this run alone */
    Start start(String systemPrompt, String message, List<String> options) {
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
        return new Start(words, variables, input);
    }

    /** How the known programs are told to read one prompt from standard input, answer it, and end. */
    private static List<String> preset(AgentSetup setup) {
        List<String> words = new ArrayList<>();
        switch (setup.runtime()) {
            case CLAUDE -> {
                words.addAll(List.of("claude", "--print", "--output-format", "stream-json", "--verbose"));
                words.add("--include-partial-messages");
                addModel(words, setup, "anthropic");
            }
            case "codex" -> {
                words.addAll(List.of("codex", "exec", "--skip-git-repo-check"));
                addModel(words, setup, "openai");
            }
            case "gemini-cli" -> {
                words.add("gemini");
                addModel(words, setup, "google");
            }
            default ->
                throw new NotReady(
                        "Command",
                        "runtime " + setup.runtime() + " has no command",
                        "Set runtime_config.command in config.yaml to the program that answers.");
        }
        return words;
    }

    /** A model of somebody else's, as the default of the configuration is for most, leaves the choice to the program. */
    private static void addModel(List<String> words, AgentSetup setup, String provider) {
        boolean fits = setup.provider().isEmpty() || setup.provider().equals(provider);
        if (fits && !setup.modelName().isEmpty()) {
            words.addAll(List.of("--model", setup.modelName()));
        }
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
