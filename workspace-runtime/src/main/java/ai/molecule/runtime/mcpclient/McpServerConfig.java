package ai.molecule.runtime.mcpclient;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * How one MCP server is reached: by a program that is started, or at a URL.
 *
 * @param name its tools are called {@code <name>__<tool>}
 * @param command the program and its arguments; empty when there is a URL
 * @param environment all that the program finds in its environment, secrets among it
 * @param headers sent with every request to the URL, secrets among them
 * @param allowed the tools that may be used, by the server's names; empty for all
 * @param timeout how long one call may take
 */
public record McpServerConfig(
        String name,
        List<String> command,
        Map<String, String> environment,
        Optional<URI> url,
        Map<String, String> headers,
        Set<String> allowed,
        Duration timeout) {

    public McpServerConfig {
        command = List.copyOf(command);
        environment = Map.copyOf(environment);
        headers = Map.copyOf(headers);
        allowed = Set.copyOf(allowed);
    }

    /** Without values, which may be secrets. */
    @Override
    public String toString() {
        return "McpServerConfig[" + name + "]";
    }
}
