/**
 * What the agent is working on and what it has done, in memory.
 *
 * <p>{@link ai.molecule.runtime.tasks.Tasks} takes a message and makes it a task that runs on a virtual thread;
 * {@link ai.molecule.runtime.tasks.AgentTask} is one task with its state, and the only place where the state moves;
 * {@link ai.molecule.runtime.tasks.EventLog} is what readers of a stream follow, each at its own pace, without a queue
 * of its own; {@link ai.molecule.runtime.tasks.TaskStore} keeps tasks within a number and a size and forgets the oldest
 * finished ones first; {@link ai.molecule.runtime.tasks.MessageMemory} makes sure that a message sent twice runs once.
 * Nothing here knows HTTP or JSON-RPC.
 */
@NullMarked
package ai.molecule.runtime.tasks;

import org.jspecify.annotations.NullMarked;
