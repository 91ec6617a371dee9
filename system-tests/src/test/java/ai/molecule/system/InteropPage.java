package ai.molecule.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Who gets along with whom, as it was seen: {@code docs/interop.md}, which {@code -Dmolecule.write.docs=true} writes anew. */
final class InteropPage {

    private static final Path PAGE = Path.of(System.getProperty("molecule.root", ".."), "docs", "interop.md");
    private static final String HEAD = """
            # Who gets along with whom

            Clients made by others, given nothing but `<front door>/workspaces/<id>/`, and agents that know one version of A2A and refuse every word of the other; a client of MCP is given `<front door>/workspaces/<id>/mcp` and that workspace's token.
            This page is what `OfficialClientsIT` saw: it fails where a client sees anything else, and writes the page anew with `-Dmolecule.write.docs=true`. What is said on both sides: [wire/a2a-exchanges.md](wire/a2a-exchanges.md). That MCP's official conformance runner passes, `.ci/long` tries: with its diagnostic tools at our methods (`ConformanceWalk`), without them at the front door and at `molecule mcp --http` (`McpConformanceWalk`, with the list of what does not pass). What A2A 1.0.1 demands of a server is walked by its sections (`KeepingToTheSpecificationIT`), and what Claude Code and Codex say to an MCP server is recorded and replayed (`ReplayingRealClientsTest`).
            """;

    private final Map<String, String> ofA2a = new TreeMap<>();
    private final Map<String, String> ofMcp = new TreeMap<>();
    private int skipped;

    /** Of each operation what the client saw of it, and {@code -} where its version has none. */
    void a2a(String client, String binding, String agent, List<String> cells) {
        put(ofA2a, "| `@a2a-js/sdk` %s | %s | A2A %s |".formatted(client, binding, agent), cells);
    }

    void mcp(String client, String revision, List<String> cells) {
        put(ofMcp, "| `%s` | %s |".formatted(client, revision), cells);
    }

    private static void put(Map<String, String> rows, String who, List<String> cells) {
        rows.put(who, who + " " + String.join(" | ", cells) + " |\n");
    }

    /** A client that is not to be had here leaves its rows as they are. */
    void begun() {
        skipped++;
    }

    void seen() {
        skipped--;
    }

    private String page() {
        return HEAD
                + "\n| Client | Binding | Agent | finds it by its card | verifies the card | sends | streams | asks for a task | lists | cancels what is over | asks for what is not there |\n"
                + "|---|---|---|---|---|---|---|---|---|---|---|\n"
                + String.join("", ofA2a.values())
                + "\n| Client of MCP | Revision | finds tools and peers | asks a peer | hands work on | leaves an argument out | calls what is not there |\n"
                + "|---|---|---|---|---|---|---|\n"
                + String.join("", ofMcp.values());
    }

    void compare() throws IOException {
        if (Boolean.getBoolean("molecule.write.docs") && skipped == 0 && !ofMcp.isEmpty()) {
            Files.writeString(PAGE, page());
        }
        String kept = Files.readString(PAGE);
        List<String> rows = new ArrayList<>(ofA2a.values());
        rows.addAll(ofMcp.values());
        rows.forEach(row -> assertThat(kept).contains(row));
        if (skipped == 0 && !rows.isEmpty()) {
            assertThat(kept).isEqualTo(page());
        }
    }
}
