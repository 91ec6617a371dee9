package ai.molecule.runtime.cli;

import ai.molecule.runtime.agent.AgentSetup;
import ai.molecule.runtime.agent.NotReady;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What is started for a message.
 *
 * @param words the program and its arguments; the message is not among them, it is read from standard input
 * @param timeout how long one run may take
 */
record CliCommand(List<String> words, Map<String, String> environment, Duration timeout) {

    static final Duration TIMEOUT = Duration.ofMinutes(30);

    private static final Duration TIMEOUT_MAX = Duration.ofHours(24);

    /** Meant for the agent itself: another program would take its place on the platform, or end with it. */
    private static final List<String> OURS_ALONE =
            List.of("MOLECULE_LIFELINE", "MOLECULE_AGENT_HOST", "MOLECULE_AGENT_PORT", "MOLECULE_ADAPTER");

    CliCommand {
        words = List.copyOf(words);
        environment = Map.copyOf(environment);
    }

    /** @throws NotReady when there is nothing to start, or it is not installed */
    static CliCommand of(AgentSetup setup) {
        List<String> words = setup.command().isEmpty() ? preset(setup) : new ArrayList<>(List.of(setup.command()));
        words.addAll(setup.args());
        words.set(0, installed(words.getFirst(), setup));
        if (setup.timeoutSeconds() < 0 || setup.timeoutSeconds() > TIMEOUT_MAX.toSeconds()) {
            throw new NotReady(
                    "Configuration",
                    "runtime_config.timeout is " + setup.timeoutSeconds(),
                    "Set it to seconds, at most 86400; 0 is half an hour.");
        }
        var environment = new HashMap<>(setup.environment());
        OURS_ALONE.forEach(environment::remove);
        return new CliCommand(
                words, environment, setup.timeoutSeconds() == 0 ? TIMEOUT : Duration.ofSeconds(setup.timeoutSeconds()));
    }

    /** How the known programs are told to read one prompt from standard input, answer it, and end. */
    private static List<String> preset(AgentSetup setup) {
        List<String> words = new ArrayList<>();
        switch (setup.runtime()) {
            case "claude-code" -> {
                words.addAll(List.of("claude", "--print", "--output-format", "text"));
                addModel(words, setup, "anthropic");
                if (!setup.systemPrompt().get().isEmpty()) {
                    words.addAll(List.of(
                            "--append-system-prompt", setup.systemPrompt().get()));
                }
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
        Stream<Path> places = program.contains("/")
                ? Stream.of(Path.of(program))
                : Stream.of(setup.environment().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                        .filter(folder -> !folder.isEmpty())
                        .map(folder -> Path.of(folder, program));
        return places.filter(place -> Files.isRegularFile(place) && Files.isExecutable(place))
                .findFirst()
                .orElseThrow(() -> new NotReady(
                        "Command",
                        program + " is not installed: no such program "
                                + (program.contains("/") ? "is there" : "is on the PATH"),
                        "Install it, or set runtime_config.command in config.yaml to one that is."))
                .toString();
    }
}
