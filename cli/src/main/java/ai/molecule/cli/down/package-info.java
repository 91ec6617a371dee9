/**
 * {@code molecule down}: stops the platform of a data folder and waits until nothing of it is left.
 */
@NullMarked
package ai.molecule.cli.down;

import org.jspecify.annotations.NullMarked;
