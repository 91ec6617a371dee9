package ai.molecule.runtime.commands;

import ai.molecule.runtime.processes.ProcessGroup;
import ai.molecule.runtime.processes.ProcessHold;
import ai.molecule.runtime.processes.ProcessRoom;
import ai.molecule.runtime.tools.Arguments;
import ai.molecule.runtime.tools.Schema;
import ai.molecule.runtime.tools.Section;
import ai.molecule.runtime.tools.ToolRefusal;
import ai.molecule.runtime.tools.ToolSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code run}: a command of the shell in the workspace's folder. */
public final class CommandTool {

    private static final Logger LOGGER = LoggerFactory.getLogger(CommandTool.class);
    private static final int AT_ONCE_MAX = 4;
    private static final int TIME_SECONDS = 120;
    private static final int TIME_MAX_SECONDS = 600;
    private static final int COMMAND_MAX_CHARS = 20_000;

    /**
     * All that commands find of the agent's environment, which has its secrets. By the last the platform knows whose they are, and ends what
     * outlives its agent.
     */
    private static final List<String> PASSED_ON =
            List.of("PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ", "TMPDIR", "JAVA_HOME", "WORKSPACE_CONFIG_PATH");

    private final Path folder;
    private final Enclosure enclosure;
    private final Map<String, String> environment = new HashMap<>();
    private final Semaphore free = new Semaphore(AT_ONCE_MAX);
    private final ProcessRoom room;

    private CommandTool(Path folder, int tier, List<Path> hidden, Map<String, String> agents, ProcessRoom room) {
        this.folder = folder;
        this.room = room;
        PASSED_ON.stream().filter(agents::containsKey).forEach(name -> environment.put(name, agents.get(name)));
        this.enclosure = new Enclosure(tier, hidden, environment);
    }

    /**
     * Empty where it cannot be had: below tier 2, and where the folder lies in one that must be hidden.
     *
     * @param hidden folders of the agent's configuration, which commands must not see
     * @param environment the agent's own
     */
    public static Optional<ToolSpec> in(Path folder, int tier, List<Path> hidden, Map<String, String> environment) {
        return in(folder, tier, hidden, environment, ProcessRoom.ofThisAgent());
    }

    static Optional<ToolSpec> in(
            Path folder, int tier, List<Path> hidden, Map<String, String> environment, ProcessRoom room) {
        if (tier < Enclosure.TIER_MIN || hidden.stream().anyMatch(folder::startsWith)) {
            LOGGER.atWarn()
                    .addKeyValue("tier", tier)
                    .log("the tool run is off: it wants tier 2, and a folder apart from the configuration");
            return Optional.empty();
        }
        var tool = new CommandTool(folder, tier, hidden, environment, room);
        String network = tier < Enclosure.TIER_OF_TRUST ? " It has no network." : "";
        return Optional.of(new ToolSpec(
                "run",
                "Run a command in a shell, in the workspace's folder, and wait for its end. All that it started ends with it."
                        + network,
                "",
                new Schema()
                        .required("command", "For /bin/sh. It reads nothing.")
                        .optional("timeout_seconds", "integer", "1 to 600; 120 when left out.")
                        .json(),
                (toolbox, arguments) -> tool.run(arguments),
                Section.OWN,
                false));
    }

    private String run(Arguments arguments) throws InterruptedException {
        String command = arguments.text("command");
        if (command.isEmpty() || command.length() > COMMAND_MAX_CHARS || command.indexOf('\0') >= 0) {
            throw new ToolRefusal("command must be a text of 1 to " + COMMAND_MAX_CHARS + " characters");
        }
        var timeout = Duration.ofSeconds(arguments.number("timeout_seconds", TIME_SECONDS, 1, TIME_MAX_SECONDS));
        if (!free.tryAcquire()) {
            throw new ToolRefusal(AT_ONCE_MAX + " commands are running, wait for one of them");
        }
        try {
            int most = room.forOne()
                    .orElseThrow(
                            () -> new ToolRefusal(
                                    "there is no room for more processes beside those that the agent has started; wait for their end"));
            return run(command, timeout, most);
        } finally {
            free.release();
        }
    }

    /** @param most processes and threads */
    private String run(String command, Duration timeout, int most) throws InterruptedException {
        List<String> words = enclosure
                .around(List.of("/bin/sh", "-c", command))
                .orElseThrow(
                        () -> new ToolRefusal(
                                "commands cannot be run here: this system allows no namespaces to keep them in, so they want tier 3"));
        try (var hold = ProcessHold.of(most, environment)) {
            if (!hold.holds() && ProcessGroup.isNeeded() && ProcessGroup.room().isEmpty()) {
                throw new ToolRefusal(
                        "commands cannot be run here: the agent is root, and nothing would hold how many processes they start");
            }
            return BoundedCommand.start(hold.around(words), folder, environment).await(timeout, room);
        } catch (IOException e) {
            throw new ToolRefusal("the command cannot be started: "
                    + String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
        }
    }
}
