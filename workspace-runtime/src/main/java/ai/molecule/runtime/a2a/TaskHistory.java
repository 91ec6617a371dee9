package ai.molecule.runtime.a2a;

import ai.molecule.runtime.tasks.TaskSnapshot;
import ai.molecule.runtime.tasks.Turn;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * What was said in a task, and the ids of what its agent said. Ids that can be derived need not be kept; those of the first turn, usually
 * the only one, carry no number.
 */
final class TaskHistory {

    private TaskHistory() {}

    /**
     * The last messages, in the order in which they were said.
     *
     * @param heard a sender's message, as JSON
     * @param asked the id and the words of a question of the agent's
     */
    static void last(int max, TaskSnapshot task, Consumer<String> heard, BiConsumer<String, String> asked) {
        long left = task.turns().stream()
                .mapToLong(turn -> turn.question().isEmpty() ? 1 : 2)
                .sum();
        int number = 0;
        for (Turn turn : task.turns()) {
            number++;
            if (left-- <= max) {
                heard.accept(turn.messageJson());
            }
            if (!turn.question().isEmpty() && left-- <= max) {
                asked.accept(nth(task.id() + "-status", number), turn.question());
            }
        }
    }

    /** Of the message in its status. */
    static String statusId(TaskSnapshot task) {
        boolean asked =
                !task.turns().getLast().question().isEmpty(); // and ended unanswered: the question has that number
        return nth(task.id() + "-status", task.turns().size() + (asked ? 1 : 0));
    }

    /** Of the message that is its answer. */
    static String answerId(TaskSnapshot task) {
        return nth(task.id() + "-answer", task.turns().size());
    }

    /** One artifact a task. */
    static String artifactId(TaskSnapshot task) {
        return task.id() + "-answer";
    }

    private static String nth(String id, int turn) {
        return turn == 1 ? id : id + "-" + turn;
    }
}
