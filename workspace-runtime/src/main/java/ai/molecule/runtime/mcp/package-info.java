/**
 * The tools for any MCP client: {@link ai.molecule.runtime.mcp.McpServer} speaks the protocol over two streams, {@link
 * ai.molecule.runtime.mcp.Membership} makes a workspace live whose only agent is that client.
 *
 * <p>The protocol is written out here, in a hundred lines, because clients of the platform depend on answers that general
 * servers do not give: always the same protocol version, failures of tools as plain text without a flag, text for a tool that
 * does not exist, and no answer to what cannot be read.
 */
@NullMarked
package ai.molecule.runtime.mcp;

import org.jspecify.annotations.NullMarked;
