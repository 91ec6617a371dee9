/**
 * The {@code molecule} command as the programs have it that an agent starts: {@link ai.molecule.runtime.shell.OwnCommand} puts it on
 * their {@code PATH}, {@link ai.molecule.runtime.shell.OwnCommandMain} is what it runs, out of the agent's own jar, and {@link
 * ai.molecule.runtime.shell.PeerCommands} is what {@code molecule a2a} prints, there and in the command that people install.
 */
@NullMarked
package ai.molecule.runtime.shell;

import org.jspecify.annotations.NullMarked;
