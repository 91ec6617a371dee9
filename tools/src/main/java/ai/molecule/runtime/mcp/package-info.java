/**
 * The tools for any MCP client: {@link ai.molecule.runtime.mcp.McpMethods} is the protocol, of its old revisions and the new one at once;
 * {@link ai.molecule.runtime.mcp.McpServer} carries it over two streams and {@link ai.molecule.runtime.mcp.McpOverHttp} over HTTP. {@link
 * ai.molecule.runtime.mcp.Membership} makes a workspace live whose only agent is such a client.
 *
 * <p>The protocol is written out here, in a few hundred lines, because no library serves the revision without a handshake beside the others
 * (docs/adr/0034).
 */
@NullMarked
package ai.molecule.runtime.mcp;

import org.jspecify.annotations.NullMarked;
