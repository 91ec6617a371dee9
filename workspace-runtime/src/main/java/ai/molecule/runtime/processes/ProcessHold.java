package ai.molecule.runtime.processes;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * What holds how many processes and threads a program starts, in words around its command line: a limit of its user by {@code prlimit}, and for
 * root, whom no such limit holds, a {@link ProcessGroup}. Closed, all that is left in the group ends.
 */
public final class ProcessHold implements AutoCloseable {

    private static final int TRY_SECONDS = 10;

    /** Whether a process may be started at all under a limit: its user may have more of them than can be seen from here. */
    private static final List<String> TRIAL = List.of("/bin/sh", "-c", "/bin/true & wait $!");

    /** Processes of the agent's user beside those in its group, by chance. */
    private static final int STRAY_MAX = 8;

    private final List<String> limits;
    private final Optional<ProcessGroup> group;
    private final boolean holds;

    private ProcessHold(List<String> limits, Optional<ProcessGroup> group, boolean holds) {
        this.limits = limits;
        this.group = group;
        this.holds = holds;
    }

    /**
     * For a command that comes to its end.
     *
     * @param most processes and threads
     * @param environment where the words are looked for, and with which they run
     */
    public static ProcessHold of(int most, Map<String, String> environment) throws InterruptedException {
        return of(most, environment, true);
    }

    /**
     * For a program that stays. Where the agent's user is a person, or other agents', it is not limited by that user: what the others start
     * later would count.
     */
    public static ProcessHold ofOneThatStays(int most, Map<String, String> environment) throws InterruptedException {
        int taken = ProcessGroup.taken().orElse(-STRAY_MAX);
        return of(most, environment, ProcessRoom.usedByItsUser() <= taken + STRAY_MAX);
    }

    private static ProcessHold of(int most, Map<String, String> environment, boolean byUser)
            throws InterruptedException {
        boolean root = ProcessGroup.isNeeded();
        Optional<ProcessGroup> group = root ? ProcessGroup.make(most) : Optional.empty();
        boolean inGroup = ProcessGroup.room().isPresent();
        if (Programs.find("prlimit", environment).isEmpty()) {
            return new ProcessHold(List.of(), group, group.isPresent());
        }
        List<String> limited = List.of("prlimit", "--core=0", "--nproc=" + (ProcessRoom.usedByItsUser() + most), "--");
        // Where a container's group holds them all the same, a limit that counts those of other containers is not set.
        boolean counts = byUser && !root && (!inGroup || works(limited, TRIAL, environment));
        return new ProcessHold(
                counts ? limited : List.of("prlimit", "--core=0", "--"), group, counts || group.isPresent());
    }

    /** False where this sets no limit; the agent's own group may have one all the same. */
    public boolean holds() {
        return holds;
    }

    public List<String> around(List<String> command) {
        List<String> words = new ArrayList<>(limits);
        words.addAll(command);
        return group.map(each -> each.around(words)).orElse(words);
    }

    /** Returns within a second or so. */
    @Override
    public void close() {
        group.ifPresent(ProcessGroup::close);
    }

    /** Whether a command line around another ends well. Waits up to 10 s. */
    public static boolean works(List<String> around, List<String> command, Map<String, String> environment)
            throws InterruptedException {
        List<String> words = new ArrayList<>(around);
        words.addAll(command);
        var builder = new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
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
