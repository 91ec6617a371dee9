package ai.molecule.runtime.platform;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Which delegations were handed over already, kept over restarts: an id a line. Without it they are handed over once more. */
public final class SeenFile {

    private static final Logger LOGGER = LoggerFactory.getLogger(SeenFile.class);

    private final Path file;

    public SeenFile(Path file) {
        this.file = file;
    }

    List<String> read() {
        try {
            return Files.exists(file)
                    ? Files.readAllLines(file).stream()
                            .filter(line -> !line.isBlank())
                            .limit(DelegationWatch.SEEN_MAX)
                            .toList()
                    : List.of();
        } catch (IOException e) {
            LOGGER.atWarn().addKeyValue("reason", e.toString()).log("delegations handed over before are not known");
            return List.of();
        }
    }

    void write(Collection<String> ids) {
        try {
            Files.write(file, String.join("\n", ids).getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            LOGGER.atWarn().addKeyValue("reason", e.toString()).log("delegations handed over are not remembered");
        }
    }
}
