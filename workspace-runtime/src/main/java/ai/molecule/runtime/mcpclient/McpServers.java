package ai.molecule.runtime.mcpclient;

import ai.molecule.runtime.tools.Section;
import ai.molecule.runtime.tools.ToolSource;
import ai.molecule.runtime.tools.ToolSpec;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The MCP servers of one agent. Their tools are called {@code <server>__<tool>}. When they have more than {@link #OFFERED_MAX}
 * together, the model is offered {@code find_tools} instead, and of the tools those that it found; that tool also says which servers
 * cannot be had, so it is there when one cannot.
 */
public final class McpServers implements ToolSource {

    /** More tools than these a model is not offered at a time. */
    public static final int OFFERED_MAX = 40;

    /** The first message waits so long for servers that are slow to start; later ones wait for nothing. */
    private static final Duration FIRST_WAIT = Duration.ofSeconds(20);

    private final List<ServerLink> links;
    private final CountDownLatch tried;

    private McpServers(List<ServerLink> links) {
        this.links = links;
        this.tried = new CountDownLatch(links.size());
    }

    /**
     * Begins to connect to each, without waiting.
     *
     * @param folder where those work that are programs
     */
    public static McpServers connect(List<McpServerConfig> servers, Path folder, Clock clock) {
        var all = new McpServers(servers.stream()
                .map(server -> new ServerLink(server, folder, clock))
                .toList());
        all.links.forEach(link -> Thread.ofVirtual().name("mcp-" + link.name()).start(() -> all.firstTry(link)));
        return all;
    }

    @Override
    public ForMessage begin() throws InterruptedException {
        boolean _ = tried.await(FIRST_WAIT.toMillis(), TimeUnit.MILLISECONDS);
        for (ServerLink link : links) {
            if (!link.trouble().isEmpty() && tried.getCount() == 0) {
                Thread.ofVirtual().name("mcp-" + link.name()).start(() -> again(link));
            }
        }
        var found = new FoundTools(links);
        return () -> offered(found);
    }

    @Override
    public void close() {
        links.forEach(ServerLink::close);
    }

    private List<ToolSpec> offered(FoundTools found) {
        int count = links.stream().mapToInt(link -> link.tools().size()).sum();
        List<ToolSpec> offered = new ArrayList<>();
        if (count > OFFERED_MAX) {
            offered.addAll(found.specs());
        } else {
            links.forEach(link -> link.tools().forEach(tool -> offered.add(spec(link, tool))));
        }
        if (count > OFFERED_MAX
                || links.stream().anyMatch(link -> !link.trouble().isEmpty())) {
            offered.add(found.finder());
        }
        return offered;
    }

    /** With other values in their settings: those of whom it holds are begun anew when they are needed next. Other servers are passed over. */
    public void renew(List<McpServerConfig> servers) {
        for (ServerLink link : links) {
            servers.stream().filter(server -> server.name().equals(link.name())).forEach(link::renew);
        }
    }

    static String nameOf(ServerLink link, ListedTool tool) {
        return link.name() + "__" + tool.name();
    }

    static ToolSpec spec(ServerLink link, ListedTool tool) {
        String name = nameOf(link, tool);
        String brief = tool.description().isEmpty() ? "A tool of " + link.name() + "." : tool.description();
        ToolSpec.Action action = (toolbox, arguments) -> {
            List<String> missing = tool.missingFrom(arguments.json());
            return missing.isEmpty()
                    ? link.call(tool, arguments.json())
                    : "Error: " + name + " must be given " + String.join(", ", missing);
        };
        return new ToolSpec(name, brief, "", tool.schema(), action, Section.OWN, false);
    }

    private void firstTry(ServerLink link) {
        try {
            link.tryToConnect();
        } catch (InterruptedException nobodyDoes) {
            Thread.currentThread().interrupt();
        } finally {
            tried.countDown();
        }
    }

    private static void again(ServerLink link) {
        try {
            link.tryToConnect();
        } catch (InterruptedException nobodyDoes) {
            Thread.currentThread().interrupt();
        }
    }
}
