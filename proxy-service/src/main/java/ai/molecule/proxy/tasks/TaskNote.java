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

        private static final int PREVIEW_MAX = 60;

        /** The first 60 characters, on one line. */
        public String preview() {
            String line = words.strip().replaceAll("\\s+", " ");
            return line.length() <= PREVIEW_MAX ? line : line.substring(0, line.offsetByCodePoints(0, whole(line)));
        }

        /** Half a character cannot be stored. */
        private static int whole(String line) {
            int end = Character.isHighSurrogate(line.charAt(PREVIEW_MAX - 1)) ? PREVIEW_MAX - 1 : PREVIEW_MAX;
            return line.codePointCount(0, end);
        }

        @Override
        public long bytes() {
            return 512 + 2L * words.length();
        }
    }

    /**
     * @param status {@code ok}, {@code error}, {@code unknown}, or {@code waiting} where the agent asks for words
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

        @Override
        public long bytes() {
            return 512 + 2L * words.length() + (files == null ? 0 : 2L * files.length());
        }
    }
}
