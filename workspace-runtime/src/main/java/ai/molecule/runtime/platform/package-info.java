/**
 * The agent's tie to its platform: it registers, however long that takes, and then says again and again that it lives and
 * what it does. The agent serves its callers whether the platform is there or not.
 */
@NullMarked
package ai.molecule.runtime.platform;

import org.jspecify.annotations.NullMarked;
