/** The A2A agent that runs inside a workspace. */
@NullMarked
package ai.molecule.runtime;

import org.jspecify.annotations.NullMarked;
