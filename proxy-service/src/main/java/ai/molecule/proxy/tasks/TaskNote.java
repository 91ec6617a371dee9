package ai.molecule.proxy.tasks;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What there is to write down of a task. */
public sealed interface TaskNote {

    UUID id();

    /** What it takes while it waits to be written. */
    long bytes();

    /**
     * @param caller null for a person
     * @param taskId of the agent's task that the message goes on with; null for one that begins
     * @param trace the id of its trace
     * @param words what was said
     */
    record Begun(
            UUID id,
            UUID target,
            @Nullable UUID caller,
            @Nullable String messageId,
            @Nullable String taskId,
            @Nullable String contextId,
            @Nullable String trace,
            String words,
            Instant at)
            implements TaskNote {

        public String preview() {
            return TaskWords.preview(words);
        }

        /** Whether it may go on with another one of the same person. */
        boolean goesOn() {
            return taskId != null || contextId != null;
        }

        @Override
        public long bytes() {
            return 512 + 2L * words.length();
        }
    }

    /**
     * @param status {@code ok}, {@code error}, {@code stopped}, {@code unknown}, or {@code waiting} where the agent asks for words
     * @param taskId as the agent names it, where it did
     * @param files JSON text of an array; null when there are none
     */
    record Over(
            UUID id,
            UUID target,
            @Nullable UUID caller,
            @Nullable String messageId,
            @Nullable String taskId,
            String status,
            String words,
            @Nullable String files,
            Instant at)
            implements TaskNote {

        boolean waits() {
            return status.equals("waiting");
        }

        boolean saysSomething() {
            return !words.isEmpty() || files != null;
        }

        @Override
        public long bytes() {
            return 512 + 2L * words.length() + (files == null ? 0 : 2L * files.length());
        }
    }

    /** One that was over before its begin was written: one row, written once. */
    record Whole(Begun begun, Over over) implements TaskNote {

        @Override
        public UUID id() {
            return begun.id;
        }

        @Override
        public long bytes() {
            return begun.bytes() + over.bytes();
        }
    }
}
