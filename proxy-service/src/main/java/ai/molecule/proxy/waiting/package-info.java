/**
 * Tasks of agents that wait for a person: for an approval that names the task, or for words that the agent asked for itself. While one
 * waits, the clocks of the delegations above it stand still, and calls to it are let go: their end is asked for by messageId later.
 */
@NullMarked
package ai.molecule.proxy.waiting;

import org.jspecify.annotations.NullMarked;
