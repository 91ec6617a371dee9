package ai.molecule.runtime.tasks;

import ai.molecule.sdk.TraceContext;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the tasks of an agent over its end: a {@linkplain TaskFile file} for each, in a folder that its owner alone can read. Of those that
 * are over the message and the answer stay for a day, so that whoever asks for them by {@code messageId} hears of them. At most
 * {@value #TASKS_MAX} and {@link #BYTES_MAX}: the oldest that are over make room, and where there is none a task is not kept.
 */
public final class TaskJournal {

    /** Of an agent whose tasks end with it. */
    public static final TaskJournal NONE = new TaskJournal(null);

    static final int TASKS_MAX = 1_000;
    static final long BYTES_MAX = 64L * 1024 * 1024;

    private static final Logger LOGGER = LoggerFactory.getLogger(TaskJournal.class);
    private static final Set<String> STAY = Set.of("begun", "message", "tool");
    private static final String SUFFIX = ".jsonl";
    private static final String OVER = ".over" + SUFFIX;

    private static final FileAttribute<?> OWNER_ALONE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private final @Nullable Path folder;
    private final Map<String, TaskFile> open = new ConcurrentHashMap<>();

    private TaskJournal(@Nullable Path folder) {
        this.folder = folder;
    }

    /** Makes the folder when there is something to keep; where that cannot be, nothing is kept, and the log says so. */
    public static TaskJournal in(Path folder) {
        return new TaskJournal(folder);
    }

    /** Whether the task survives the agent's end. */
    boolean keeps(AgentTask task) {
        TaskFile file = open.get(task.id());
        return file != null && !file.isLost();
    }

    /** The file of a task that is not over; null when it is not kept. */
    @Nullable
    TaskFile find(String taskId) {
        return open.get(taskId);
    }

    /** All that is kept, the oldest first. What cannot be read is left alone. */
    List<KeptTask> read(Instant now) {
        List<KeptTask> tasks = new ArrayList<>();
        for (Path path : files()) {
            try {
                if (path.toString().endsWith(OVER)
                        && Files.getLastModifiedTime(path)
                                .toInstant()
                                .plus(MessageMemory.REMEMBERED_FOR)
                                .isBefore(now)) {
                    Files.delete(path);
                    continue;
                }
                if (isOverInAnother(path)) {
                    Files.delete(path);
                    continue;
                }
                KeptTask.read(new TaskFile(path)).ifPresent(tasks::add);
            } catch (IOException | RuntimeException e) {
                LOGGER.atWarn()
                        .addKeyValue("file", path.getFileName())
                        .addKeyValue("reason", e.toString())
                        .log("a task cannot be taken up again");
            }
        }
        tasks.stream().filter(task -> !task.state.isFinal()).forEach(task -> open.put(task.id, task.file));
        return tasks;
    }

    /** Begins to keep a task with its first message, or notes that it goes on with another. */
    void message(AgentTask task, IncomingMessage message, Instant now) {
        TaskFile file = open.get(task.id());
        if (file != null) {
            boolean _ = file.add(messageRow(message, now));
        } else if (folder != null && task.turnCount() == 1 && makeRoom(folder)) {
            begin(folder, task, message, now);
        }
    }

    private void begin(Path into, AgentTask task, IncomingMessage message, Instant now) {
        Path path = into.resolve(task.id() + SUFFIX);
        try {
            Files.createFile(path, OWNER_ALONE);
            var file = new TaskFile(path);
            ObjectNode begun = TaskFile.row("begun").put("task", task.id()).put("context", task.contextId());
            task.owner().ifPresent(owner -> begun.put("owner", owner));
            if (file.add(begun, false) && file.add(messageRow(message, now))) {
                forceFolder(into);
                open.put(task.id(), file);
            }
        } catch (IOException | UnsupportedOperationException e) {
            LOGGER.atWarn().addKeyValue("reason", e.toString()).log("a task is not kept");
        }
    }

    /** Of what was kept only the messages and the end stay. */
    void ended(AgentTask task, Instant now) {
        TaskFile file = open.remove(task.id());
        if (file == null || folder == null || file.isLost()) {
            return;
        }
        var end = task.snapshot();
        Path fresh = folder.resolve(task.id() + OVER);
        try {
            List<ObjectNode> rows = new ArrayList<>();
            file.read(row -> {
                if (row instanceof ObjectNode object
                        && STAY.contains(row.path("row").asText())) {
                    object.remove(List.of("metadata", "text", "traceparent", "tracestate", "passport"));
                    rows.add(object);
                }
            });
            ObjectNode last = TaskFile.row("ended")
                    .put("state", end.state().wireName())
                    .put("text", end.statusText())
                    .put("answer", end.answer())
                    .put("at", now.toEpochMilli());
            var files = last.putArray("files");
            end.parts().forEach(each -> {
                switch (each) {
                    case AnsweredFile named ->
                        files.addObject()
                                .put("uri", named.uri())
                                .put("name", named.name())
                                .put("type", named.type());
                    case AnsweredData data -> files.addObject().put("data", data.json());
                }
            });
            Path half = folder.resolve(task.id() + ".new");
            Files.deleteIfExists(half); // of an agent that ended just here
            Files.createFile(half, OWNER_ALONE);
            var over = new TaskFile(half);
            rows.forEach(row -> {
                boolean _ = over.add(row, false);
            });
            if (over.add(last)) {
                Files.move(half, fresh, StandardCopyOption.ATOMIC_MOVE);
            }
        } catch (IOException e) {
            LOGGER.atWarn().addKeyValue("reason", e.toString()).log("the end of a task is not kept");
        }
        file.delete();
        forceFolder(folder);
    }

    /** The agent ended between keeping the end of a task and deleting the rest of it. */
    private static boolean isOverInAnother(Path path) {
        String name = path.getFileName().toString();
        return !name.endsWith(OVER)
                && Files.exists(path.resolveSibling(name.substring(0, name.length() - SUFFIX.length()) + OVER));
    }

    private static ObjectNode messageRow(IncomingMessage message, Instant now) {
        ObjectNode row = TaskFile.row("message")
                .put("id", message.messageId())
                .put("fingerprint", message.fingerprint())
                .put("text", message.text())
                .put("at", now.toEpochMilli());
        row.set("message", message.message());
        if (!message.metadata().isMissingNode()) {
            row.set("metadata", message.metadata());
        }
        var trace = TraceContext.here();
        trace.parent().ifPresent(parent -> row.put("traceparent", parent));
        trace.state().ifPresent(state -> row.put("tracestate", state));
        TraceContext.passport().ifPresent(passport -> row.put("passport", passport.jws()));
        return row;
    }

    private boolean makeRoom(Path into) {
        try {
            Files.createDirectories(
                    into, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            List<Path> files = files();
            long bytes = 0;
            for (Path file : files) {
                bytes += Files.size(file);
            }
            int count = files.size();
            for (Path file : files) {
                if (count < TASKS_MAX && bytes + TaskFile.FILE_MAX_BYTES <= BYTES_MAX) {
                    return true;
                }
                if (file.toString().endsWith(OVER)) {
                    bytes -= Files.size(file);
                    count--;
                    Files.delete(file);
                }
            }
            return count < TASKS_MAX && bytes + TaskFile.FILE_MAX_BYTES <= BYTES_MAX;
        } catch (IOException | UnsupportedOperationException e) {
            LOGGER.atWarn().addKeyValue("reason", e.toString()).log("tasks are not kept");
            return false;
        }
    }

    private List<Path> files() {
        if (folder == null || !Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(path -> path.toString().endsWith(SUFFIX))
                    .sorted(Comparator.comparing(TaskJournal::changed))
                    .toList();
        } catch (IOException e) {
            LOGGER.atWarn().addKeyValue("reason", e.toString()).log("kept tasks cannot be listed");
            return List.of();
        }
    }

    private static FileTime changed(Path path) {
        try {
            return Files.getLastModifiedTime(path);
        } catch (IOException gone) {
            return FileTime.fromMillis(0);
        }
    }

    /** So that a new name is there after a power cut, too. */
    private static void forceFolder(Path folder) {
        try (var channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        } catch (IOException e) {
            LOGGER.atDebug().setCause(e).log("a folder cannot be forced to the disk");
        }
    }
}
