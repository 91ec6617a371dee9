package ai.molecule.runtime.tasks;

/**
 * Where a follower begins: the task as it is, and the position in the log from which to read on. Nothing is missed or
 * seen twice between the two.
 */
public record TaskView(TaskSnapshot snapshot, EventLog log, int next) {}
