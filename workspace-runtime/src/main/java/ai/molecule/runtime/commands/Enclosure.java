package ai.molecule.runtime.commands;

import ai.molecule.runtime.processes.ProcessHold;
import ai.molecule.runtime.processes.Programs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

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

    /** The whole command line; empty where it may not run. Looks at the system once, when it is first asked. */
    synchronized Optional<List<String>> around(List<String> command) throws InterruptedException {
        if (tried.isEmpty()) {
            List<String> words = namespaces();
            tried = Optional.of(ProcessHold.works(words, List.of("true"), environment) ? words : List.of());
        }
        // Behind the agent when there is not enough for both: it must be able to end what it started.
        boolean nice = Programs.find("nice", environment).isPresent();
        List<String> words = new ArrayList<>(nice ? List.of("nice", "-n", "15") : List.of());
        if (tried.get().isEmpty() && tier < TIER_OF_TRUST) {
            return Optional.empty();
        }
        words.addAll(tried.get());
        words.addAll(command);
        return Optional.of(words);
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
}
