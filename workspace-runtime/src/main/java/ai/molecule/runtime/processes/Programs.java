package ai.molecule.runtime.processes;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Where programs are. */
public final class Programs {

    private Programs() {}

    /** @param program a path, or a name that is looked for on the {@code PATH} of the environment */
    public static Optional<Path> find(String program, Map<String, String> environment) {
        Stream<Path> places = program.contains("/")
                ? Stream.of(Path.of(program))
                : Stream.of(environment.getOrDefault("PATH", "").split(File.pathSeparator, -1))
                        .filter(folder -> !folder.isEmpty())
                        .map(folder -> Path.of(folder, program));
        return places.filter(place -> Files.isRegularFile(place) && Files.isExecutable(place))
                .findFirst();
    }
}
