/**
 * {@code molecule up}: options in, a running platform out. {@link ai.molecule.cli.up.UpCommand} is the table of contents.
 */
@NullMarked
package ai.molecule.cli.up;

import org.jspecify.annotations.NullMarked;
