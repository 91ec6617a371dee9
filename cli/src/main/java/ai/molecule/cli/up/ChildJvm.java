package ai.molecule.cli.up;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How a JVM like this one is started: same program, class path and options, its own log and heap.
 *
 * @param options the JVM options of the launcher that hold for a service too
 */
record ChildJvm(Path java, String classPath, List<String> options) {

    /** Enough for one service; measured idle at a third of it. */
    private static final String HEAP = "-Xmx256m";

    static ChildJvm likeThis() {
        var options = ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> !option.startsWith("-Xmx")
                        && !option.startsWith("-Dmolecule.")
                        && !option.startsWith("-XX:AOTCacheOutput"))
                .toList();
        return new ChildJvm(
                Path.of(System.getProperty("java.home"), "bin", "java"),
                System.getProperty("java.class.path"),
                options);
    }

    List<String> command(String mainClass, Path log) {
        var command = new ArrayList<String>();
        command.add(java.toString());
        command.addAll(options);
        command.add(HEAP);
        command.addAll(Logs.ofService(log));
        command.addAll(List.of("-cp", classPath, mainClass));
        return command;
    }
}
