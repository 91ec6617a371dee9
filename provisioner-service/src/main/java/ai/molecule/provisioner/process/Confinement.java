package ai.molecule.provisioner.process;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts a tier's limits on a command line, by {@code prlimit} where the machine has it. Each process of an agent may hold so much
 * data; no core is dumped. There is no group of processes, so neither CPU nor the sum of several processes is limited.
 *
 * @param prlimit null where there is none; then nothing is enforced
 */
record Confinement(@Nullable Path prlimit) {

    private static final Logger LOGGER = LoggerFactory.getLogger(Confinement.class);
    private static final long MIB = 1024L * 1024;

    /** What this machine has, said once: {@code path} is searched. */
    static Confinement ofThisMachine(String path) {
        var found = find("prlimit", path);
        if (found.isEmpty()) {
            LOGGER.atWarn().log("this machine has no prlimit: memory limits of tiers are not enforced for processes");
        }
        return new Confinement(found.orElse(null));
    }

    List<String> around(List<String> command, Limits limits) {
        if (prlimit == null) {
            return command;
        }
        List<String> whole = new ArrayList<>(List.of(prlimit.toString(), "--core=0"));
        if (limits.memoryMb() > 0) {
            whole.add("--data=" + limits.memoryMb() * MIB);
        }
        whole.add("--");
        whole.addAll(command);
        return whole;
    }

    private static Optional<Path> find(String program, String path) {
        return Pattern.compile(File.pathSeparator)
                .splitAsStream(path)
                .map(folder -> Path.of(folder, program))
                .filter(Files::isExecutable)
                .findFirst();
    }
}
