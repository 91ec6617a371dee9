/**
 * Who may talk to whom, who is near, and where to reach them.
 */
@NullMarked
package ai.molecule.registry.discovery;

import org.jspecify.annotations.NullMarked;
