package ai.molecule.runtime.tasks;

import ai.molecule.runtime.tasks.TaskQuery.Position;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Some of the tasks that were asked for.
 *
 * @param nextToken where the next page begins; empty on the last one
 * @param size how many were asked for
 * @param total how many there are on all pages
 */
public record TaskPage(List<TaskSnapshot> tasks, String nextToken, int size, int total) {

    /** A page ends earlier when its tasks hold more than this: half of what the platform lets an agent answer. */
    static final long PAGE_MAX_CHARS = 5L * 1024 * 1024;

    public TaskPage {
        tasks = List.copyOf(tasks);
    }

    static TaskPage of(Collection<AgentTask> all, TaskQuery query) {
        Map<Position, AgentTask> ordered = new TreeMap<>();
        for (AgentTask task : all) {
            task.positionIn(query).ifPresent(position -> ordered.put(position, task));
        }
        List<TaskSnapshot> page = new ArrayList<>();
        long chars = 0;
        String next = "";
        Position last = null;
        for (var entry : ordered.entrySet()) {
            if (query.after().map(after -> entry.getKey().compareTo(after) <= 0).orElse(false)) {
                continue;
            }
            TaskSnapshot task = entry.getValue().snapshot();
            chars += charsOf(task);
            if (last != null && (page.size() == query.size() || chars > PAGE_MAX_CHARS)) {
                next = last.token();
                break;
            }
            page.add(task);
            last = entry.getKey();
        }
        return new TaskPage(page, next, query.size(), ordered.size());
    }

    private static long charsOf(TaskSnapshot task) {
        long said = task.turns().stream()
                .mapToLong(turn -> turn.messageJson().length() + turn.question().length())
                .sum();
        return said + task.answer().length();
    }
}
