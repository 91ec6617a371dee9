/** What two or more services share. */
@NullMarked
package ai.molecule.common;

import org.jspecify.annotations.NullMarked;
