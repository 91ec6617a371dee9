/**
 * What becomes of a message, by whose it is: of somebody who waits, of one who has handed it over (delegations, busy agents), of the
 * platform itself; and for agents that fetch theirs, how it is kept for them.
 */
@NullMarked
package ai.molecule.proxy.a2a.messages;

import org.jspecify.annotations.NullMarked;
