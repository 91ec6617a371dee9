/**
 * {@code molecule ps}: services and agents of a running platform.
 */
@NullMarked
package ai.molecule.cli.ps;

import org.jspecify.annotations.NullMarked;
