/**
 * Commands that a model runs in the folder of its workspace: {@link ai.molecule.runtime.commands.CommandTool}. {@link
 * ai.molecule.runtime.commands.Enclosure} keeps them from the agent's secrets, its processes and, below tier 3, the network; {@link
 * ai.molecule.runtime.commands.BoundedCommand} ends what takes too long, says too much or starts too many processes.
 */
@NullMarked
package ai.molecule.runtime.commands;

import org.jspecify.annotations.NullMarked;
