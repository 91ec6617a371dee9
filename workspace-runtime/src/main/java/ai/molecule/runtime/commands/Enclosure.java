package ai.molecule.runtime.commands;

import ai.molecule.runtime.processes.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The words around a command that put it into namespaces of its own, made by {@code unshare}: of users, in which it has no capability, of
 * processes, so that it sees none of the agent's and all of its own end with it, of mounts, in which the agent's configuration is empty,
 * and below tier 3 of the network, in which there is nobody. Below tier 3 a command does not run without; from there on it does, where
 * the system allows no namespaces.
 */
final class Enclosure {

    /** Below, commands are not run at all. */
    static final int TIER_MIN = 2;

    /** From here on a command may use the network, and go without namespaces. */
    static final int TIER_OF_TRUST = 3;

    private static final int TRY_SECONDS = 10;

    /** Whether a process may be started at all under a limit: its user may have more of them than can be seen from here. */
    private static final List<String> TRIAL = List.of("/bin/sh", "-c", "/bin/true & wait $!");

    /** Takes the folders to hide, then {@code --} and the command. */
    private static final String HIDE = """
            while [ "$1" != -- ]; do mount -t tmpfs -o ro,size=4k none "$1" || exit 125; shift; done
            shift
            exec setpriv --no-new-privs --inh-caps=-all --bounding-set=-all -- "$@"
            """;

    private final int tier;
    private final List<Path> hidden;
    private final Map<String, String> environment;
    private Optional<List<String>> tried = Optional.empty(); // an empty list: it does not work

    /** @param hidden the agent's configuration; must not hold the folder where commands run */
    Enclosure(int tier, List<Path> hidden, Map<String, String> environment) {
        this.tier = tier;
        this.hidden = hidden.stream().filter(Files::isDirectory).distinct().toList();
        this.environment = environment;
    }

    /**
     * The whole command line; empty where it may not run. Looks at the system once, when it is first asked.
     *
     * @param most processes and threads of the command; root is held by a {@link ProcessGroup} instead
     */
    synchronized Optional<List<String>> around(List<String> command, int most) throws InterruptedException {
        if (tried.isEmpty()) {
            List<String> words = namespaces();
            tried = Optional.of(works(words, List.of("true")) ? words : List.of());
        }
        List<String> words = new ArrayList<>(limits(most));
        if (tried.get().isEmpty() && tier < TIER_OF_TRUST) {
            return Optional.empty();
        }
        words.addAll(tried.get());
        words.addAll(command);
        return Optional.of(words);
    }

    /** Behind the agent when there is not enough for both: it must be able to end what it started. */
    private List<String> limits(int most) throws InterruptedException {
        List<String> words = new ArrayList<>();
        if (Programs.find("nice", environment).isPresent()) {
            words.addAll(List.of("nice", "-n", "15"));
        }
        if (Programs.find("prlimit", environment).isPresent()) {
            List<String> held = List.of("prlimit", "--core=0", "--nproc=" + (ProcessRoom.usedByItsUser() + most), "--");
            // Where a container's group holds them all the same, a limit that counts those of other containers is left
            // out.
            boolean counts = works(held, TRIAL) || ProcessGroup.room().isEmpty();
            words.addAll(counts ? held : List.of("prlimit", "--core=0", "--"));
        }
        return words;
    }

    private List<String> namespaces() {
        List<String> words = new ArrayList<>(List.of(
                "unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"));
        if (tier < TIER_OF_TRUST) {
            words.add("--net");
        }
        words.addAll(List.of("--", "/bin/sh", "-c", HIDE, "sh"));
        hidden.forEach(folder -> words.add(folder.toAbsolutePath().toString()));
        words.add("--");
        return words;
    }

    private boolean works(List<String> around, List<String> command) throws InterruptedException {
        List<String> words = new ArrayList<>(around);
        words.addAll(command);
        var builder = new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectInput(BoundedCommand.NOTHING);
        builder.environment().clear();
        builder.environment().putAll(environment);
        try {
            Process trial = builder.start();
            boolean ended = trial.waitFor(TRY_SECONDS, TimeUnit.SECONDS);
            trial.destroyForcibly();
            return ended && trial.exitValue() == 0;
        } catch (IOException absent) {
            return false;
        }
    }
}
