package ai.molecule.cli.up;

import ai.molecule.cli.LaunchFailure;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * How a JVM like this one is started: same program, class path and options, its own log and heap.
 *
 * @param options the JVM options of the launcher that hold for a service too
 * @param more the user's, which count before these: of an option said twice a JVM takes the last
 */
record ChildJvm(Path java, String classPath, List<String> options, List<String> more) {

    /** Enough for one service; measured idle at a third of it. */
    private static final String HEAP = "-Xmx256m";

    /**
     * @param user the launcher's own environment; MOLECULE_JAVA_OPTS, divided by blanks, goes behind all other options
     * @throws LaunchFailure when a word of it is no option
     */
    static ChildJvm likeThis(Map<String, String> user) {
        var more = Stream.of(user.getOrDefault("MOLECULE_JAVA_OPTS", "").split("\\s+"))
                .filter(word -> !word.isEmpty())
                .toList();
        more.stream().filter(word -> !word.startsWith("-")).findFirst().ifPresent(word -> {
            throw LaunchFailure.usersTurn("MOLECULE_JAVA_OPTS has \"" + word + "\", which is no option of a JVM.");
        });
        var options = ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> !option.startsWith("-Xmx")
                        && !option.startsWith("-Dmolecule.")
                        && !option.startsWith("-XX:AOTCacheOutput"))
                .toList();
        return new ChildJvm(
                Path.of(System.getProperty("java.home"), "bin", "java"),
                System.getProperty("java.class.path"),
                options,
                more);
    }

    List<String> command(String mainClass, Path log) {
        var command = new ArrayList<String>();
        command.add(java.toString());
        command.addAll(options);
        command.add(HEAP);
        command.addAll(more);
        command.addAll(Logs.ofService(log));
        command.addAll(List.of("-cp", classPath, mainClass));
        return command;
    }
}
