/**
 * {@code molecule connect}: joins a workspace from anywhere, with a method of the user's own code or with any command.
 *
 * <p>{@link ai.molecule.cli.connect.ConnectCommand} reads options and environment and runs the loop of the agent SDK; a {@link
 * ai.molecule.cli.connect.CommandHandler} feeds messages to a command, a {@link ai.molecule.cli.connect.MethodHandler} to a
 * method.
 */
@NullMarked
package ai.molecule.cli.connect;

import org.jspecify.annotations.NullMarked;
