/**
 * The agent that runs inside a workspace.
 *
 * <p>{@link ai.molecule.runtime.RuntimeMain} reads the environment ({@link ai.molecule.runtime.RuntimeConfig}) and
 * {@code config.yaml} ({@link ai.molecule.runtime.WorkspaceConfig}), checks both ({@link ai.molecule.runtime.Preflight}),
 * and starts a {@link ai.molecule.runtime.WorkspaceAgent}, which puts the folders together: {@code agent} is what a kind of
 * agent implements, {@code echo} and {@code delegate} are two kinds, {@code tasks} runs them, {@code a2a} is how others
 * call them, and {@code platform} keeps the tie to the platform. Apart from these, {@code tools} is what an agent's model can
 * do, and {@code mcp} offers it to MCP clients.
 */
@NullMarked
package ai.molecule.runtime;

import org.jspecify.annotations.NullMarked;
