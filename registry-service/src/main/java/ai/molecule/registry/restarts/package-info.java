/**
 * Restarts that a change of secrets, model or plugins calls for, so that agents know the newest values. The request is written in the
 * change's own transaction, naming the start that may not know it, and is due when changes have paused for 2 s. A reconciler
 * carries it out by asking the lifecycle to replace just that start: whatever restarted the agent meanwhile has done the same,
 * and a crash at any point leads to another try, never to a second restart.
 */
@NullMarked
package ai.molecule.registry.restarts;

import org.jspecify.annotations.NullMarked;
