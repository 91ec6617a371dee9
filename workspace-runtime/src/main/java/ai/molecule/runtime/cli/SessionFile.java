package ai.molecule.runtime.cli;

import ai.molecule.runtime.agent.Transcript;
import ai.molecule.runtime.mcp.LineReader;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What {@code claude} writes down of its sessions: {@code ~/.claude/projects/<folder>/<session>.jsonl}, a line for each step. */
final class SessionFile {

    /** Of one answer, so that it fits into the agent's memory. */
    static final int CHARS_MAX = 2_000_000;

    private static final ObjectMapper JSON = new ObjectMapper();

    private SessionFile() {}

    /** The lines of a session from the one numbered {@code since}; a line of over 4 MiB is empty. */
    static Transcript read(Optional<String> session, Map<String, String> environment, int since, int limit) {
        try {
            Optional<Path> file = session.isEmpty() ? Optional.empty() : find(session.get(), environment);
            return file.isEmpty()
                    ? new Transcript(true, List.of(), since, false, null)
                    : read(file.get(), since, limit);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Transcript read(Path file, int since, int limit) throws IOException {
        List<JsonNode> lines = new ArrayList<>();
        int chars = 0;
        try (var in = Files.newInputStream(file)) {
            var reader = new LineReader(in);
            Optional<String> line = reader.next();
            for (int number = 0; number < since && line.isPresent(); number++) {
                line = reader.next();
            }
            while (line.isPresent() && lines.size() < limit && chars < CHARS_MAX) {
                JsonNode step = parsed(line.get());
                chars += line.get().length();
                line = reader.next();
                if (line.isEmpty() && step.isTextual()) {
                    break; // being written
                }
                lines.add(step);
            }
            return new Transcript(true, lines, since + lines.size(), line.isPresent(), file.toString());
        }
    }

    /** The program names the folder after the one it works in; the session's name alone is unique. */
    private static Optional<Path> find(String session, Map<String, String> environment) throws IOException {
        String home = environment.getOrDefault("HOME", System.getProperty("user.home"));
        Path projects = Path.of(environment.getOrDefault("CLAUDE_CONFIG_DIR", home + "/.claude"))
                .resolve("projects");
        if (!Files.isDirectory(projects)) {
            return Optional.empty();
        }
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(projects)) {
            for (Path folder : folders) {
                Path file = folder.resolve(session + ".jsonl");
                if (Files.isRegularFile(file)) {
                    return Optional.of(file);
                }
            }
        }
        return Optional.empty();
    }

    private static JsonNode parsed(String line) {
        try {
            return line.isBlank() ? TextNode.valueOf("") : JSON.readTree(line);
        } catch (JsonProcessingException noStep) {
            return TextNode.valueOf(line);
        }
    }
}
