/**
 * {@code molecule logs}: the log of one service or agent.
 */
@NullMarked
package ai.molecule.cli.logs;

import org.jspecify.annotations.NullMarked;
