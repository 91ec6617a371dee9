/** What waits for a person, across the services. */
@NullMarked
package ai.molecule.system.waiting;

import org.jspecify.annotations.NullMarked;
