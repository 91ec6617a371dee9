/**
 * {@code molecule dev}: {@link ai.molecule.cli.dev.DevCommand} talks with the agent of a folder, {@link ai.molecule.cli.dev.Chat} begins it anew
 * when it was changed, {@link ai.molecule.cli.dev.KeysAtHand} finds its model, {@link ai.molecule.cli.dev.Screenplay} shows what it says and does, and {@link ai.molecule.cli.dev.Bill} what that costs.
 */
@NullMarked
package ai.molecule.cli.dev;

import org.jspecify.annotations.NullMarked;
