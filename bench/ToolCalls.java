import ai.molecule.runtime.mcpclient.McpServerConfig;
import ai.molecule.runtime.mcpclient.McpServers;
import ai.molecule.runtime.tools.Toolbox;
import ai.molecule.runtime.tools.Workspaces;
import ai.molecule.sdk.ClientConfig;
import ai.molecule.sdk.TokenFile;
import ai.molecule.sdk.WorkspaceClient;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * {@code java -cp workspace-runtime.jar ToolCalls.java <seconds> <at once> <java> <classpath> <this file>}: an agent's MCP client with a server over
 * standard input and output that answers at once; prints how many calls it makes in a second after as long a warm-up. {@code server} as the only
 * argument is that server. Exits with 1 when a call is answered otherwise.
 */
class ToolCalls {

    private static final ObjectMapper JSON = new ObjectMapper();

    public static void main(String[] args) throws Exception {
        if (args[0].equals("server")) {
            serve();
            return;
        }
        long nanos = Duration.ofSeconds(Long.parseLong(args[0])).toNanos();
        int atOnce = Integer.parseInt(args[1]);
        Path folder = Path.of("").toAbsolutePath();
        var server = new McpServerConfig(
                "box",
                List.of(args[2], "-XX:+UseSerialGC", "-cp", args[3], args[4], "server"),
                Map.of("PATH", System.getenv("PATH")),
                Optional.empty(),
                Map.of(),
                Set.of(),
                Duration.ofSeconds(30));
        var nowhere = new WorkspaceClient(ClientConfig.of("bench", "http://127.0.0.1:9", TokenFile.in(folder)));
        var toolbox = new Toolbox(new Workspaces(List.of(nowhere)), Optional.empty());
        var wrong = new AtomicLong();
        try (var servers = McpServers.connect(List.of(server), folder, Clock.systemUTC())) {
            var tool = servers.begin().now().getFirst();
            for (boolean warm : new boolean[] {false, true}) {
                var calls = new AtomicLong();
                long begun = System.nanoTime();
                try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
                    for (int i = 0; i < atOnce; i++) {
                        threads.submit(() -> {
                            while (System.nanoTime() - begun < nanos) {
                                String word = "word " + calls.incrementAndGet();
                                var said = tool.run(toolbox, JSON.createObjectNode().put("word", word));
                                if (!said.equals(word)) {
                                    wrong.incrementAndGet();
                                }
                            }
                            return null;
                        });
                    }
                }
                if (warm) {
                    System.out.printf(
                            "tool calls of one MCP client, %d at once: %d/s, not answered as they were called: %d%n",
                            atOnce,
                            calls.get() * TimeUnit.SECONDS.toNanos(1) / (System.nanoTime() - begun),
                            wrong.get());
                }
            }
        }
        System.exit(wrong.get() == 0 ? 0 : 1);
    }

    private static void serve() throws Exception {
        var in = new BufferedReader(new InputStreamReader(System.in));
        var out = new BufferedWriter(new OutputStreamWriter(System.out));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            var request = JSON.readTree(line);
            String result = switch (request.path("method").asText()) {
                case "initialize" ->
                    """
                    {"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"box","version":"1"}}""";
                case "tools/list" ->
                    """
                    {"tools":[{"name":"say","description":"Says it.","inputSchema":{"type":"object","properties":{"word":{"type":"string"}}}}]}""";
                case "tools/call" ->
                    "{\"content\":[{\"type\":\"text\",\"text\":" + request.at("/params/arguments/word") + "}]}";
                default -> "";
            };
            if (!result.isEmpty()) {
                out.write("{\"jsonrpc\":\"2.0\",\"id\":" + request.path("id") + ",\"result\":" + result + "}\n");
                if (!in.ready()) {
                    out.flush();
                }
            }
        }
    }
}
