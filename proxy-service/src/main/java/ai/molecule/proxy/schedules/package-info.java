/**
 * What agents are told by the clock. A replica claims a schedule whose tick is due, decides from its policies what runs, and commits
 * in one transaction the run, its message in the queue of messages and the next tick: a tick is fired once or not yet. The queue takes the message
 * to the agent as it takes any other (docs/adr/0049).
 */
@NullMarked
package ai.molecule.proxy.schedules;

import org.jspecify.annotations.NullMarked;
