package ai.molecule.runtime.mcpclient;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * An MCP server that is a shell script, and whose tools do what their names say. It counts its starts in the file {@code starts}, and
 * writes what it reads into {@code heard}.
 */
final class ScriptedMcpServer {

    private static final String TOOLS =
            tools("greet", "hang", "flood", "endless_line", "die", "lie", "refuse", "wrong", "mutter");

    private static final String SCRIPT = """
            echo started >> starts
            while IFS= read -r line; do
              printf '%s\\n' "$line" >> heard
              id=${line#*'"id":'}
              id=${id%%,*}
              answer() { printf '{"jsonrpc":"2.0","id":%s,%s}\\n' "$id" "$1"; }
              case "$line" in
                *'"method":"initialize"'*)
                  answer '"result":{"protocolVersion":"VERSION","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
                *'"method":"tools/list"'*) answer '"result":{"tools":[TOOLS]}' ;;
                *'"name":"greet"'*) answer '"result":{"content":[{"type":"text","text":"hello"},{"type":"image","mimeType":"image/png","data":"AA=="}]}' ;;
                *'"name":"flood"'*) yes '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"and so on and so on"}}' ;;
                *'"name":"endless_line"'*) yes x | tr -d '\\n' ;;
                *'"name":"die"'*) exit 3 ;;
                *'"name":"mutter"'*) yes x | tr -d '\\n' | head -c 20000000 >&2; answer '"result":{"content":[{"type":"text","text":"done"}]}' ;;
                *'"name":"lie"'*) answer '"result":{"content":"a text where a list should be"}' ;;
                *'"name":"refuse"'*) answer '"error":{"code":-32602,"message":"not like this"}' ;;
                *'"name":"wrong"'*) answer '"result":{"isError":true,"content":[{"type":"text","text":"no such city"}]}' ;;
              esac
            done
            """;

    private ScriptedMcpServer() {}

    /** With all of its tools. */
    static McpServerConfig in(Path folder, Duration timeout) throws IOException {
        return in(folder, timeout, TOOLS, "2025-06-18");
    }

    /** @param tools the items of its list, as JSON */
    static McpServerConfig in(Path folder, Duration timeout, String tools, String version) throws IOException {
        Path script = folder.resolve("server.sh");
        Files.writeString(script, SCRIPT.replace("TOOLS", tools).replace("VERSION", version));
        return started(timeout, Set.of(), "/bin/sh", script.toString());
    }

    static McpServerConfig started(Duration timeout, Set<String> allowed, String... command) {
        return new McpServerConfig(
                "box",
                List.of(command),
                Map.of("PATH", System.getenv().getOrDefault("PATH", "/bin:/usr/bin")),
                Optional.empty(),
                Map.of(),
                allowed,
                timeout);
    }

    static McpServerConfig at(URI url, Map<String, String> headers, Duration timeout) {
        return new McpServerConfig("web", List.of(), Map.of(), Optional.of(url), headers, Set.of(), timeout);
    }

    static String tools(String... names) {
        return List.of(names).stream().map(ScriptedMcpServer::tool).collect(Collectors.joining(","));
    }

    static String tools(int count) {
        return IntStream.range(0, count).mapToObj(i -> tool("tool_" + i)).collect(Collectors.joining(","));
    }

    private static String tool(String name) {
        return "{\"name\":\"" + name + "\",\"description\":\"Does " + name.replace('_', ' ')
                + ".\",\"inputSchema\":{\"type\":\"object\",\"properties\":{}}}";
    }
}
