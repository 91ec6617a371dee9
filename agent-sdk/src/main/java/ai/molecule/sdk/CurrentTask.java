package ai.molecule.sdk;

/**
 * What an agent says it is doing.
 *
 * <pre>{@code
 * LoopOptions.defaults().withTasks(() -> new CurrentTask("indexing", queue.size()))
 * }</pre>
 *
 * @param name in a few words; empty when idle
 * @param activeTasks how many tasks run now, not negative
 */
public record CurrentTask(String name, int activeTasks) {

    public static final CurrentTask NONE = new CurrentTask("", 0);
}
