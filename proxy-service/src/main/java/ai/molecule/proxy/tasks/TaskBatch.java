package ai.molecule.proxy.tasks;

import ai.molecule.proxy.tasks.TaskNote.Begun;
import ai.molecule.proxy.tasks.TaskNote.Over;
import ai.molecule.proxy.tasks.TaskNote.Whole;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Notes as they are written.
 *
 * @param waves of rows that know nothing of each other: the work of one in a later wave may be that of an earlier one
 * @param ends of rows that are there by then; of several of one task the last one
 */
record TaskBatch(List<List<Row>> waves, List<Over> ends) {

    /** @param over null while it runs */
    record Row(Begun begun, @Nullable Over over) {}

    private record Message(UUID target, String id) {}

    static TaskBatch of(List<TaskNote> notes, AgentsAtWork atWork) {
        Map<UUID, Row> rows = new LinkedHashMap<>();
        Map<UUID, Over> ends = new LinkedHashMap<>();
        Set<Message> running = new HashSet<>();
        for (var note : notes) {
            switch (note) {
                case Begun begun -> {
                    rows.put(begun.id(), new Row(begun, null));
                    if (begun.messageId() != null) {
                        running.add(new Message(begun.target(), begun.messageId()));
                    }
                }
                case Over over -> ends.put(over.id(), over);
                case Whole(Begun begun, Over over) -> {
                    String message = begun.messageId();
                    // it ends all that began with its message, so those have to be there
                    boolean others = message != null && running.contains(new Message(begun.target(), message));
                    rows.put(begun.id(), new Row(begun, others ? null : over));
                    if (others) {
                        ends.put(over.id(), over);
                    }
                }
            }
        }
        return new TaskBatch(waves(rows.values(), atWork), List.copyOf(ends.values()));
    }

    private static List<List<Row>> waves(Iterable<Row> rows, AgentsAtWork atWork) {
        List<List<Row>> waves = new ArrayList<>();
        List<Row> wave = List.of();
        Set<UUID> targets = new HashSet<>();
        for (var row : rows) {
            var caller = row.begun.caller();
            var from = caller != null ? caller : row.begun.goesOn() ? row.begun.target() : null;
            if (wave.isEmpty() || (from != null && targets.contains(from) && atWork.isAtWork(from))) {
                wave = new ArrayList<>();
                waves.add(wave);
                targets.clear();
            }
            wave.add(row);
            targets.add(row.begun.target());
        }
        return waves;
    }
}
