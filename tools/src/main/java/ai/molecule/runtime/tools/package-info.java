/**
 * What an agent's model can do, each thing described once.
 *
 * <p>{@link ai.molecule.runtime.tools.Tools} is the ordered table of {@link ai.molecule.runtime.tools.ToolSpec}s. The MCP
 * server, the text for the system prompt ({@link ai.molecule.runtime.tools.PromptBlocks}) and {@code docs/tools.md} are made
 * from it and from nothing else. A tool acts through a {@link ai.molecule.runtime.tools.Toolbox}: the workspaces this process
 * speaks for ({@link ai.molecule.runtime.tools.Workspaces}), which may be several, and their inbox. Whatever happens, a tool
 * answers with text that a model can act on.
 */
@NullMarked
package ai.molecule.runtime.tools;

import org.jspecify.annotations.NullMarked;
