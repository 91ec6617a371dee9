/** {@code molecule replay}: a recorded day on another model, answers and cost side by side. */
@NullMarked
package ai.molecule.cli.replay;

import org.jspecify.annotations.NullMarked;
