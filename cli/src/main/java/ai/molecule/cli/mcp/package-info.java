/** {@code molecule mcp}: the platform's tools for any MCP client, over standard input and output. */
@NullMarked
package ai.molecule.cli.mcp;

import org.jspecify.annotations.NullMarked;
