package ai.molecule.runtime.processes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * How much memory a process of this agent may ask for, by {@code prlimit} or {@code ulimit}: programs ask for more than they use, and one that
 * gets none ends without a word. A control group counts what is used, so it says nothing before. Linux tells; elsewhere nobody holds it.
 */
public final class MemoryLimit {

    private static final Pattern DATA = Pattern.compile("Max data size +(\\d+) ");
    private static final Path LIMITS = Path.of("/proc/self/limits");

    private MemoryLimit() {}

    /** {@link Long#MAX_VALUE} when there is none. */
    public static long bytes() {
        return bytes(LIMITS);
    }

    static long bytes(Path limits) {
        try {
            var data = DATA.matcher(Files.readString(limits));
            return data.find() ? Long.parseLong(data.group(1)) : Long.MAX_VALUE;
        } catch (IOException | NumberFormatException unknown) {
            return Long.MAX_VALUE;
        }
    }
}
