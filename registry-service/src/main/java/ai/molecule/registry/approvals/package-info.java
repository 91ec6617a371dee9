/**
 * Approvals: an agent asks before it does something, a person or its parent's agent hears of it, one decision counts, or those that a rule
 * of the organization demands ({@link ai.molecule.registry.approvals.Ballot}, package {@code deciders}). It may name the task that waits for
 * it, whose clocks the proxy then holds. Looking decides nothing: a request ends by a decision or at its time.
 */
@NullMarked
package ai.molecule.registry.approvals;

import org.jspecify.annotations.NullMarked;
