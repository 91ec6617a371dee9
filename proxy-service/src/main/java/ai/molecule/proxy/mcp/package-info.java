/** MCP at the front door: {@link ai.molecule.proxy.mcp.McpRoutes}. The protocol and the tools are of the module {@code tools} (docs/adr/0034). */
@NullMarked
package ai.molecule.proxy.mcp;

import org.jspecify.annotations.NullMarked;
