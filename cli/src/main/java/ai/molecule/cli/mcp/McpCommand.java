package ai.molecule.cli.mcp;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.runtime.mcp.McpHttpServer;
import ai.molecule.runtime.mcp.McpServer;
import ai.molecule.runtime.mcp.Membership;
import ai.molecule.runtime.tools.Toolbox;
import ai.molecule.runtime.tools.WorkspaceSettings;
import ai.molecule.runtime.tools.Workspaces;
import ai.molecule.sdk.ClientConfig;
import ai.molecule.sdk.PlatformException;
import ai.molecule.sdk.WorkspaceClient;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Serves the tools until its input ends, with {@code --http} until it is ended itself. Standard output carries the protocol, or with {@code --http} its address, and nothing else. */
@Command(
        name = "mcp",
        description = "Serve the tools of a workspace to MCP clients, over standard input and output or over HTTP.",
        footer = {
            "",
            "Speaks for WORKSPACE_ID on PLATFORM_URL, with the token in MOLECULE_WORKSPACE_TOKEN, CONFIGS_DIR or",
            "~/.molecule/ID; or for each of MOLECULE_WORKSPACES, a JSON array of {\"id\",\"token\"[,\"platform_url\"]}.",
            "",
            "Exit codes: 0 the input ended; 1 the platform failed; 2 the environment is wrong; 3 the platform refused a token."
        })
public final class McpCommand implements Callable<Integer> {

    @Option(
            names = "--join",
            description = {
                "Be the workspace's agent: register it as one that fetches its messages, keep it online, and offer them through"
                        + " wait_for_message. Not where an agent runs already."
            })
    private boolean join;

    @Option(
            names = "--agent-name",
            paramLabel = "NAME",
            description = "With --join, on the agent card. Or MOLECULE_AGENT_NAME")
    private String agentName = "";

    @Option(
            names = "--http",
            paramLabel = "PORT",
            description =
                    "Streamable HTTP on this loopback port instead, 0 for any; the address is printed. Whoever uses this machine may connect. Ctrl-C ends it")
    private @Nullable Integer httpPort;

    private final Console console;
    private final Map<String, String> environment;
    private final InputStream in;
    private final OutputStream out;

    /** @param out for the protocol alone */
    public McpCommand(Console console, Map<String, String> environment, InputStream in, OutputStream out) {
        this.console = console;
        this.environment = environment;
        this.in = in;
        this.out = out;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        List<ClientConfig> configs = configs();
        PrintStream before = System.out;
        System.setOut(System.err); // a library that prints must not end up in the protocol
        try {
            if (!join) {
                serve(configs, Optional.empty());
                return 0;
            }
            try (Membership membership = joined(configs)) {
                serve(configs, Optional.of(membership));
                return 0;
            }
        } catch (PlatformException e) {
            console.say("The platform did not register the workspace: " + e.error());
            return e.status() == 401 || e.status() == 403 ? 3 : 1;
        } finally {
            System.setOut(before);
        }
    }

    private Membership joined(List<ClientConfig> configs) {
        return Membership.join(
                configs, agentName.isBlank() ? environment.getOrDefault("MOLECULE_AGENT_NAME", "") : agentName);
    }

    private void serve(List<ClientConfig> configs, Optional<Membership> membership)
            throws IOException, InterruptedException {
        var workspaces =
                new Workspaces(configs.stream().map(WorkspaceClient::new).toList());
        var toolbox = new Toolbox(workspaces, membership.map(Membership::inbox)).in(environment);
        if (httpPort == null) {
            new McpServer(toolbox, in, out).run();
        } else {
            serveHttp(toolbox, httpPort);
        }
    }

    /** Until the process is ended: under nohup or a service manager standard input ends at once and says nothing. */
    private void serveHttp(Toolbox toolbox, int port) throws IOException, InterruptedException {
        McpHttpServer server;
        try {
            server = McpHttpServer.listen(toolbox, port);
        } catch (IOException | IllegalArgumentException taken) {
            throw LaunchFailure.usersTurn("Port " + port + " cannot be listened on (" + taken.getMessage() + ").");
        }
        try (server) {
            String address = "http://127.0.0.1:%d%s%n".formatted(server.port(), McpHttpServer.PATH);
            out.write(address.getBytes(StandardCharsets.UTF_8));
            out.flush();
            new CountDownLatch(1).await();
        }
    }

    private List<ClientConfig> configs() {
        try {
            return WorkspaceSettings.read(environment);
        } catch (IllegalArgumentException | UncheckedIOException e) {
            throw LaunchFailure.usersTurn(String.valueOf(e.getMessage()));
        }
    }
}
