/**
 * An agent that does nothing itself and asks its peers: it turns lines {@code ask <peer name>: <text>} into calls, all at
 * the same time, and puts the answers together. It shows delegation from agent to agent without a model, and decides
 * nothing that a reader of the message could not predict.
 */
@NullMarked
package ai.molecule.runtime.delegate;

import org.jspecify.annotations.NullMarked;
