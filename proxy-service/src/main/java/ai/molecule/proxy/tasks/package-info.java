/**
 * Messages at agents from their begin on: written down in groups, told by TASK_STARTED and TASK_ENDED, and put together to pieces of
 * work. What a person says begins one, unless it goes on with one; what agents send each other belongs to that of their trace, or of all
 * that the sender is at. A begin or an end that finds no room is left out, so that no call waits for it.
 */
@NullMarked
package ai.molecule.proxy.tasks;

import org.jspecify.annotations.NullMarked;
