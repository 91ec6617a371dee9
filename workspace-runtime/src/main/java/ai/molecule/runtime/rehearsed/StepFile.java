package ai.molecule.runtime.rehearsed;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Objects;
import java.util.Optional;

/**
 * What was done of each piece of work, step by step: written before the next step begins, in one move, so that a kill at any
 * moment leaves the old file or the new one. The oldest work is forgotten beyond {@value #WORKS_MAX}.
 */
final class StepFile {

    static final int WORKS_MAX = 50;

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path file;

    StepFile(Path file) {
        this.file = file;
    }

    /** What the step came to; empty when it was not done. */
    synchronized Optional<String> find(String work, String step) throws IOException {
        return Optional.ofNullable(read().path(work).path(step).textValue());
    }

    synchronized void keep(String work, String step, String result) throws IOException {
        var all = read();
        while (!all.has(work) && all.size() >= WORKS_MAX) {
            all.remove(all.fieldNames().next());
        }
        all.withObjectProperty(work).put(step, result);
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        Files.createDirectories(Objects.requireNonNull(file.toAbsolutePath().getParent()));
        Files.write(fresh, JSON.writeValueAsBytes(all));
        try {
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (AtomicMoveNotSupportedException e) {
            Files.move(fresh, file, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private ObjectNode read() throws IOException {
        return Files.exists(file) && JSON.readTree(file.toFile()) instanceof ObjectNode kept
                ? kept
                : JSON.createObjectNode();
    }
}
