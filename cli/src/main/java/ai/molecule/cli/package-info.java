/** The {@code molecule} command. */
@NullMarked
package ai.molecule.cli;

import org.jspecify.annotations.NullMarked;
