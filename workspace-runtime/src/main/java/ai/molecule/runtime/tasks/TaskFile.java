package ai.molecule.runtime.tasks;

import ai.molecule.runtime.agent.StepJournal;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is kept of one task: a row of JSON for each message, each step and each turn of its fate, on the disk before what follows from it
 * happens. A last row that was not written whole is cut off. What can be kept no longer, because it grew too large or the disk is full, is
 * deleted as a whole: a task that went on from an old step would do the later ones twice.
 */
final class TaskFile implements StepJournal {

    static final int ROWS_MAX = 5_000;
    static final long FILE_MAX_BYTES = 8L * 1024 * 1024;
    static final int ROW_MAX_BYTES = 4 * 1024 * 1024;

    private static final Logger LOGGER = LoggerFactory.getLogger(TaskFile.class);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path file;
    private int rows;
    private long bytes;
    private boolean lost;

    TaskFile(Path file) {
        this.file = file;
    }

    static ObjectNode row(String kind) {
        return JSON.createObjectNode().put("row", kind);
    }

    /** Reads it from the beginning, and cuts off what was not written whole. */
    synchronized void read(Consumer<JsonNode> each) throws IOException {
        rows = 0;
        bytes = 0;
        try (InputStream in = new BufferedInputStream(new FileInputStream(file.toFile()))) {
            for (byte[] line = line(in); line.length > 0; line = line(in)) {
                if (line[line.length - 1] != '\n') {
                    break;
                }
                JsonNode row;
                try {
                    row = JSON.readTree(line);
                } catch (IOException torn) {
                    break;
                }
                each.accept(row);
                rows++;
                bytes += line.length;
            }
        }
        if (Files.size(file) > bytes) {
            try (var whole = new RandomAccessFile(file.toFile(), "rw")) {
                whole.setLength(bytes);
                whole.getFD().sync();
            }
        }
    }

    /** Whether the row is kept. */
    boolean add(ObjectNode row) {
        return add(row, true);
    }

    /** @param now whether it must be on the disk before this returns */
    synchronized boolean add(ObjectNode row, boolean now) {
        if (lost) {
            return false;
        }
        try {
            byte[] line = (JSON.writeValueAsString(row) + "\n").getBytes(StandardCharsets.UTF_8);
            if (line.length > ROW_MAX_BYTES || bytes + line.length > FILE_MAX_BYTES || rows >= ROWS_MAX) {
                throw new IOException("it grew too large");
            }
            try (var out = new FileOutputStream(
                    file.toFile(), true)) { // a channel would break off when the task is interrupted
                out.write(line);
                if (now) {
                    out.getFD().sync();
                }
            }
            rows++;
            bytes += line.length;
            return true;
        } catch (IOException e) {
            lost = true;
            delete();
            LOGGER.atWarn().addKeyValue("reason", e.toString()).log("a task is kept no longer");
            return false;
        }
    }

    synchronized boolean isLost() {
        return lost;
    }

    synchronized void delete() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOGGER.atWarn().addKeyValue("reason", e.toString()).log("what is kept of a task cannot be deleted");
        }
    }

    @Override
    public synchronized List<JsonNode> done() {
        List<JsonNode> steps = new ArrayList<>();
        if (!lost) {
            try {
                read(row -> {
                    if (row.path("row").asText().equals("step")) {
                        steps.add(row.path("step"));
                    }
                });
            } catch (IOException e) {
                LOGGER.atWarn().addKeyValue("reason", e.toString()).log("what is kept of a task cannot be read");
                return List.of();
            }
        }
        return steps;
    }

    @Override
    public boolean keep(ObjectNode step, String said) {
        ObjectNode row = row("step");
        row.set("step", step);
        return add(said.isEmpty() ? row : row.put("said", said));
    }

    /** With its end of line; without one at the end of the file; empty behind it. */
    private static byte[] line(InputStream in) throws IOException {
        var line = new ByteArrayOutputStream();
        for (int next = in.read(); next >= 0; next = in.read()) {
            line.write(next);
            if (next == '\n' || line.size() > ROW_MAX_BYTES) {
                break;
            }
        }
        return line.toByteArray();
    }
}
