/**
 * What the platform signs, checked without asking it: {@link ai.molecule.sdk.identity.KeySet} knows its keys, {@link
 * ai.molecule.sdk.identity.PairTokenCheck} who calls this agent. Uses the JDK's own cryptography.
 */
@NullMarked
package ai.molecule.sdk.identity;

import org.jspecify.annotations.NullMarked;
