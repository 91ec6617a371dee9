package ai.molecule.runtime.platform;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where results of delegations wait for the agent: a JSON object a line, written at one end and taken whole at the other. */
public final class ResultsFile implements Supplier<String> {

    /** Nothing is added to a file of this size: nobody takes from it. */
    static final long FILE_MAX_BYTES = 1024 * 1024;

    private static final Logger LOGGER = LoggerFactory.getLogger(ResultsFile.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int RESPONSE_MAX_CHARS = 200;
    private static final int SUMMARY_MAX_CHARS = 1_000;

    /** Of one agent: what is added to a file while it is taken away would go with it. */
    private static final ReentrantLock ONE_AT_A_TIME = new ReentrantLock();

    private final Path file;

    public ResultsFile(Path file) {
        this.file = file;
    }

    /** @throws UncheckedIOException when they cannot be kept */
    void add(List<? extends JsonNode> results) {
        var lines = new StringBuilder();
        results.forEach(result -> lines.append(result).append('\n'));
        ONE_AT_A_TIME.lock();
        try {
            if (Files.exists(file) && Files.size(file) >= FILE_MAX_BYTES) {
                throw new IOException(file + " is full");
            }
            Files.write(
                    file,
                    lines.toString().getBytes(StandardCharsets.UTF_8),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            ONE_AT_A_TIME.unlock();
        }
    }

    /**
     * Takes all that is there, for one reader only: {@code - [status] summary} a line, and below it {@code Response:} with its
     * beginning. Empty when there is nothing.
     */
    @Override
    public String get() {
        Path taken = file.resolveSibling(file.getFileName() + ".consumed");
        ONE_AT_A_TIME.lock();
        try {
            if (!Files.exists(file)) {
                return "";
            }
            Files.move(file, taken, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            List<String> lines = Files.readAllLines(taken);
            Files.delete(taken);
            return String.join(
                    "\n",
                    lines.stream().flatMap(line -> described(line).stream()).toList());
        } catch (NoSuchFileException takenByAnother) {
            return "";
        } catch (IOException e) {
            LOGGER.atWarn().addKeyValue("reason", e.toString()).log("results of delegations cannot be read");
            return "";
        } finally {
            ONE_AT_A_TIME.unlock();
        }
    }

    private static List<String> described(String line) {
        try {
            JsonNode result = JSON.readTree(line);
            List<String> described = new ArrayList<>();
            described.add("- [%s] %s"
                    .formatted(
                            result.path("status").asText("?"),
                            DelegationResult.cut(result.path("summary").asText(""), SUMMARY_MAX_CHARS)));
            String preview = result.path("response_preview").asText("");
            if (!preview.isEmpty()) {
                described.add("  Response: " + DelegationResult.cut(preview, RESPONSE_MAX_CHARS));
            }
            return described;
        } catch (IOException notJson) {
            return List.of();
        }
    }
}
