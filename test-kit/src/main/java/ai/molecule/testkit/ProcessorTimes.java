package ai.molecule.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Writes down how long each test class took, and how much of the processors it and every process that it started used: a line for each class in
 * {@code target/times/<fork>.tsv} with the class, milliseconds, and processor milliseconds of the fork itself, of databases, and of all other
 * processes. {@code .ci/times} makes tables of it.
 *
 * <p>A process belongs to a fork when it descends from it, or inherited its {@code MOLECULE_TEST_FORK}, as servers do that leave their parent.
 * Only on Linux; elsewhere nothing is written.
 */
public final class ProcessorTimes implements TestExecutionListener {

    private static final String VARIABLE = "MOLECULE_TEST_FORK";
    private static final Path PROC = Path.of("/proc");

    /** {@code CLK_TCK} of Linux, which is 100 wherever the JDK runs. */
    private static final long MILLIS_PER_TICK = 10;

    private static final long LOOK_EVERY_MILLIS = 2_000;

    private static final Set<String> DATABASES = Set.of("postgres", "redis-server", "valkey-server");

    private enum Kind {
        FORK,
        DATABASE,
        OTHER
    }

    private final String fork = System.getenv(VARIABLE);
    private final long own = ProcessHandle.current().pid();
    private final long[] gone = new long[Kind.values().length];
    private Map<String, Used> before = Map.of();
    private final Map<String, Begun> begun = new HashMap<>();
    private boolean isLooking;

    /** What a process has used so far, with what its ended children used. */
    private record Used(Kind kind, long ticks, boolean isChildOfOurs) {}

    private record Begun(long nanoTime, long[] ticks) {}

    private record Stat(long pid, String name, long parent, long start, long ticks) {
        String key() {
            return pid + "-" + start;
        }
    }

    @Override
    public void testPlanExecutionStarted(TestPlan plan) {
        if (fork != null && Files.isDirectory(PROC.resolve("self")) && !isLooking) {
            isLooking = true;
            Thread looks = new Thread(this::lookOn, "processor-times");
            looks.setDaemon(true);
            looks.start();
        }
    }

    private void lookOn() {
        try {
            while (true) {
                Thread.sleep(LOOK_EVERY_MILLIS);
                ticks();
            }
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        if (isLooking && isOutermostClass(test)) {
            begun.put(test.getUniqueId(), new Begun(System.nanoTime(), ticks()));
        }
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        Begun since = begun.remove(test.getUniqueId());
        if (since != null) {
            long millis = (System.nanoTime() - since.nanoTime) / 1_000_000;
            StringBuilder line = new StringBuilder(nameOf(test) + "\t" + millis);
            long[] now = ticks();
            for (Kind kind : Kind.values()) {
                line.append('\t')
                        .append(Math.max(0, now[kind.ordinal()] - since.ticks[kind.ordinal()]) * MILLIS_PER_TICK);
            }
            write(line.append('\n').toString());
        }
    }

    private static boolean isOutermostClass(TestIdentifier test) {
        return test.getSource().filter(ClassSource.class::isInstance).isPresent()
                && !nameOf(test).contains("$");
    }

    private static String nameOf(TestIdentifier test) {
        return test.getSource()
                .filter(ClassSource.class::isInstance)
                .map(source -> ((ClassSource) source).getClassName())
                .orElse("");
    }

    private void write(String line) {
        try {
            Path folder = Files.createDirectories(Path.of("target", "times"));
            Files.writeString(
                    folder.resolve(fork + ".tsv"), line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** By kind, of all that ever belonged to the fork. What an ended process used is in its parent's figure, unless nobody of ours waited for it. */
    private synchronized long[] ticks() {
        Map<String, Used> now = look();
        before.forEach((process, used) -> {
            if (!now.containsKey(process) && !used.isChildOfOurs) {
                gone[used.kind.ordinal()] += used.ticks;
            }
        });
        before = now;
        long[] sums = gone.clone();
        now.values().forEach(used -> sums[used.kind.ordinal()] += used.ticks);
        return sums;
    }

    private Map<String, Used> look() {
        Map<Long, Stat> all = new HashMap<>();
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
            for (Path process : processes) {
                Stat stat = stat(process);
                if (stat != null) {
                    all.put(stat.pid, stat);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Set<Long> ours = new HashSet<>();
        all.values().stream()
                .filter(stat -> descends(stat, all, ours) || inherits(stat.pid))
                .forEach(stat -> ours.add(stat.pid));
        Map<String, Used> used = new HashMap<>();
        ours.forEach(pid -> {
            Stat stat = all.get(pid);
            used.put(stat.key(), new Used(kind(stat), stat.ticks, ours.contains(stat.parent)));
        });
        return used;
    }

    private Kind kind(Stat stat) {
        return stat.pid == own ? Kind.FORK : DATABASES.contains(stat.name) ? Kind.DATABASE : Kind.OTHER;
    }

    private boolean descends(Stat process, Map<Long, Stat> all, Set<Long> ours) {
        for (Stat each = process; each != null; each = all.get(each.parent)) {
            if (each.pid == own || ours.contains(each.pid)) {
                return true;
            }
        }
        return false;
    }

    private boolean inherits(long pid) {
        try {
            String environment = Files.readString(PROC.resolve(pid + "/environ"), StandardCharsets.ISO_8859_1);
            return ("\0" + environment).contains("\0" + VARIABLE + "=" + fork + "\0");
        } catch (IOException ended) {
            return false; // or of another user, whose environment is not ours to read
        }
    }

    /** Fields of proc(5): 1 pid, 4 ppid, 14 to 17 utime, stime, cutime, cstime, 22 starttime; the name in field 2 may hold blanks. */
    private static Stat stat(Path process) {
        try {
            String line = Files.readString(process.resolve("stat"), StandardCharsets.ISO_8859_1);
            String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ", 22);
            long ticks = 0;
            for (int at = 11; at <= 14; at++) {
                ticks += Long.parseLong(fields[at]);
            }
            return new Stat(
                    Long.parseLong(process.getFileName().toString()),
                    line.substring(line.indexOf('(') + 1, line.lastIndexOf(')')),
                    Long.parseLong(fields[1]),
                    Long.parseLong(fields[19]),
                    ticks);
        } catch (IOException ended) {
            return null;
        }
    }
}
