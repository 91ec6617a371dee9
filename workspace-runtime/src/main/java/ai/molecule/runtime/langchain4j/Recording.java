package ai.molecule.runtime.langchain4j;

import ai.molecule.runtime.agent.NotReady;
import ai.molecule.sdk.ByteOrderMark;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * What a model said, turn by turn, as a file that is read and written by hand (docs/agents.md, <em>Recorded models</em>).
 *
 * @param turns in their order
 */
record Recording(List<Turn> turns) {

    static final int FILE_MAX_BYTES = 1024 * 1024;

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern TURN = Pattern.compile("== (\\d{1,6}) ms");

    /**
     * @param pause before it speaks
     * @param looks made where its calls may have been made by an agent that ended, before they are made again
     */
    record Turn(Duration pause, List<String> words, List<Call> calls, List<Call> looks) {}

    record Call(String tool, ObjectNode arguments) {}

    /** Throws {@link NotReady} naming the line that is wrong. */
    static Recording read(Path file) {
        try {
            if (Files.size(file) > FILE_MAX_BYTES) {
                throw new NotReady("Model", file.getFileName() + " is over 1 MiB", "Record less.");
            }
            return of(ByteOrderMark.strip(Files.readString(file)), String.valueOf(file.getFileName()));
        } catch (IOException unreadable) {
            throw new NotReady(
                    "Model",
                    "the recording " + file.getFileName() + " cannot be read",
                    "Put it beside config.yaml, or set another model.");
        }
    }

    static Recording of(String text, String name) {
        List<Turn> turns = new ArrayList<>();
        int number = 0;
        for (String line : text.lines().toList()) {
            number++;
            try {
                add(turns, line);
            } catch (JsonProcessingException | RuntimeException wrong) {
                throw new NotReady(
                        "Model",
                        name + ", line " + number + ", is no line of a recording",
                        "Lines begin with ==, say, call, look, | or #; arguments are one JSON object.");
            }
        }
        return new Recording(List.copyOf(turns));
    }

    private static void add(List<Turn> turns, String line) throws JsonProcessingException {
        var head = TURN.matcher(line);
        if (line.isBlank() || line.startsWith("#")) {
            return;
        }
        if (head.matches()) {
            turns.add(new Turn(
                    Duration.ofMillis(Long.parseLong(head.group(1))),
                    new ArrayList<>(),
                    new ArrayList<>(),
                    new ArrayList<>()));
            return;
        }
        var turn = turns.getLast();
        if (line.equals("say") || line.startsWith("say ")) {
            turn.words.add(line.substring(Math.min(4, line.length())));
        } else if (line.startsWith("call ")) {
            turn.calls.add(call(line));
        } else if (line.startsWith("look ")) {
            turn.looks.add(call(line));
        } else if (line.equals("|") || line.startsWith("| ")) {
            var arguments = turn.calls.getLast().arguments;
            String before = arguments.path("text").asText("");
            arguments.put("text", before + line.substring(Math.min(2, line.length())) + "\n");
        } else {
            throw new IllegalArgumentException(line);
        }
    }

    private static Call call(String line) throws JsonProcessingException {
        String[] parts = line.split(" ", 3);
        String arguments = parts.length > 2 ? parts[2] : "{}";
        if (JSON.readTree(arguments) instanceof ObjectNode object && !parts[1].isEmpty()) {
            return new Call(parts[1], object);
        }
        throw new IllegalArgumentException(line);
    }
}
