/**
 * The agent's tie to its platform: it registers, however long that takes, and then says again and again that it lives and
 * what it does. {@link ai.molecule.runtime.platform.Routines} are what it does of its own accord: it tells itself its prompts and
 * hands over what came of its delegations. The agent serves its callers whether the platform is there or not.
 */
@NullMarked
package ai.molecule.runtime.platform;

import org.jspecify.annotations.NullMarked;
