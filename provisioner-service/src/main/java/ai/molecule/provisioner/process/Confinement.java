package ai.molecule.provisioner.process;

import ai.molecule.provisioner.containers.Tier;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts limits around a command line, with what the machine has. By {@code setpriv} an agent gains no privileges, has no capabilities
 * even as root, and is a user of its own where users are set aside for agents. By {@code prlimit} each of its processes may hold as much
 * data as its tier says, holds a bounded number of open files, and dumps no core. What holds for all of them together is the business of {@link Cgroups}.
 *
 * @param setpriv the command with its options; empty where there is none that works
 * @param prlimit null where there is none
 * @param openFiles how many files and connections one process may hold
 */
record Confinement(List<String> setpriv, @Nullable Path prlimit, long openFiles) {

    /** More than a JVM, a build or a browser needs; what has no bound is raised to it by every JVM. */
    private static final long OPEN_FILES_MAX = 4_096;

    private static final Pattern OPEN_FILES = Pattern.compile("(?m)^Max open files +\\w+ +(\\d+)");

    private static final Logger LOGGER = LoggerFactory.getLogger(Confinement.class);
    private static final long TRY_SECONDS = 5;

    private static final List<String> NO_CAPABILITIES = List.of("--inh-caps=-all", "--bounding-set=-all");

    /** What this machine has; what it lacks is said once. {@code path} is searched. */
    static Confinement ofThisMachine(String path) {
        var prlimit = find("prlimit", path);
        if (prlimit.isEmpty()) {
            LOGGER.atWarn().log("this machine has no prlimit: memory limits of tiers are not enforced for processes");
        }
        return new Confinement(
                find("setpriv", path).map(Confinement::whatWorks).orElse(List.of()),
                prlimit.orElse(null),
                Math.min(OPEN_FILES_MAX, openFilesOfOurs()));
    }

    /** Nobody but root raises it. */
    private static long openFilesOfOurs() {
        try {
            var found = OPEN_FILES.matcher(Files.readString(Path.of("/proc/self/limits")));
            return found.find() ? Long.parseLong(found.group(1)) : Long.MAX_VALUE;
        } catch (IOException notLinux) {
            return OPEN_FILES_MAX;
        }
    }

    /** @param uid whose processes they shall be; null for our own user */
    List<String> around(List<String> command, Tier tier, @Nullable Integer uid) {
        List<String> whole = as(setpriv, uid);
        if (prlimit != null) {
            whole.addAll(List.of(prlimit.toString(), "--core=0"));
            whole.add("--data=" + tier.memoryBytes());
            whole.add("--nofile=" + openFiles);
            whole.add("--");
        }
        whole.addAll(command);
        return whole;
    }

    /**
     * Whether that user can be taken on, and runs the command with success.
     *
     * @throws IOException when nobody can tell now: the machine starts no process
     */
    boolean works(int uid, String... command) throws IOException {
        return setpriv.containsAll(NO_CAPABILITIES)
                && works(Stream.concat(as(setpriv, uid).stream(), Stream.of(command))
                        .toList());
    }

    private static List<String> as(List<String> setpriv, @Nullable Integer uid) {
        List<String> prefix = new ArrayList<>(setpriv);
        if (!setpriv.isEmpty() && uid != null) {
            prefix.addAll(List.of("--reuid=" + uid, "--regid=" + uid, "--clear-groups"));
        }
        if (!setpriv.isEmpty()) {
            prefix.add("--");
        }
        return prefix;
    }

    /** Only root may drop capabilities from the bounding set, and not in every container. */
    private static List<String> whatWorks(Path setpriv) {
        var withoutCapabilities = new ArrayList<>(List.of(setpriv.toString(), "--no-new-privs"));
        withoutCapabilities.addAll(NO_CAPABILITIES);
        var withoutNew = List.of(setpriv.toString(), "--no-new-privs");
        return runsTrue(withoutCapabilities) ? withoutCapabilities : runsTrue(withoutNew) ? withoutNew : List.of();
    }

    private static boolean runsTrue(List<String> setpriv) {
        var command = as(setpriv, null);
        command.add("true");
        try {
            return works(command);
        } catch (IOException absent) {
            return false;
        }
    }

    /** Whether it ends well, within 5 s. */
    static boolean works(List<String> command) throws IOException {
        try {
            var tried = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return tried.waitFor(TRY_SECONDS, TimeUnit.SECONDS) && tried.exitValue() == 0;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    static Optional<Path> find(String program, String path) {
        return Pattern.compile(File.pathSeparator)
                .splitAsStream(path)
                .map(folder -> Path.of(folder, program))
                .filter(Files::isExecutable)
                .findFirst();
    }
}
