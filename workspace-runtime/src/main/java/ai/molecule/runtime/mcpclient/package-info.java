/**
 * Tools of MCP servers that an agent is configured with: {@link ai.molecule.runtime.mcpclient.McpServers} offers them to its model.
 *
 * <p>A {@link ai.molecule.runtime.mcpclient.ServerLink} keeps one server: it connects by a {@link
 * ai.molecule.runtime.mcpclient.StdioTransport} or a {@link ai.molecule.runtime.mcpclient.HttpTransport}, begins anew when the server is
 * gone, and waits longer each time. A server is a stranger: what it says is bounded in bytes, number and time, and whatever is wrong
 * with it becomes a sentence for the model. Requests are JSON-RPC by hand, see {@code docs/adr}.
 */
@NullMarked
package ai.molecule.runtime.mcpclient;

import org.jspecify.annotations.NullMarked;
