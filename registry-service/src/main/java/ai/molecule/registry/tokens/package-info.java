/**
 * Workspace tokens: issued, listed, revoked, verified, and remembered for a while after their workspace is gone.
 */
@NullMarked
package ai.molecule.registry.tokens;

import org.jspecify.annotations.NullMarked;
