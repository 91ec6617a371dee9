package ai.molecule.runtime.processes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** How much memory a process of this agent may have: what {@code prlimit} and the control group say. Linux tells; elsewhere nobody holds it. */
public final class MemoryLimit {

    private static final Pattern DATA = Pattern.compile("Max data size +(\\d+) ");
    private static final Path LIMITS = Path.of("/proc/self/limits");

    /** Inside a container it is the container's. */
    private static final Path CONTROL_GROUP = Path.of("/sys/fs/cgroup/memory.max");

    private MemoryLimit() {}

    /** {@link Long#MAX_VALUE} when there is none. */
    public static long bytes() {
        return bytes(LIMITS, CONTROL_GROUP);
    }

    static long bytes(Path limits, Path controlGroup) {
        var data = DATA.matcher(text(limits));
        return Math.min(data.find() ? number(data.group(1)) : Long.MAX_VALUE, number(text(controlGroup)));
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException none) {
            return "";
        }
    }

    private static long number(String text) {
        try {
            return Long.parseLong(text.strip());
        } catch (NumberFormatException unlimited) {
            return Long.MAX_VALUE;
        }
    }
}
