package ai.molecule.runtime.mcpclient;

import ai.molecule.runtime.tools.Arguments;
import ai.molecule.runtime.tools.Schema;
import ai.molecule.runtime.tools.Section;
import ai.molecule.runtime.tools.ToolSpec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;
import java.util.stream.Stream;

/** What a model found among many tools while it answers one message, and the tool it finds them with. */
final class FoundTools {

    static final String NAME = "find_tools";

    /** Of one search. */
    private static final int HITS_MAX = 10;

    private static final Schema INPUT =
            new Schema().required("query", "What you want to do, in a few words. Empty: which servers there are.");

    private record Candidate(ServerLink link, ListedTool tool) {
        String name() {
            return McpServers.nameOf(link, tool);
        }

        /** How many of the words are in its name, which count twice, and its description. */
        int hits(List<String> words) {
            String inName = name().toLowerCase(Locale.ROOT);
            String inDescription = tool.description().toLowerCase(Locale.ROOT);
            return words.stream()
                    .mapToInt(word -> (inName.contains(word) ? 2 : 0) + (inDescription.contains(word) ? 1 : 0))
                    .sum();
        }
    }

    private final List<ServerLink> links;
    private final SequencedMap<String, Candidate> found = new LinkedHashMap<>();

    FoundTools(List<ServerLink> links) {
        this.links = links;
    }

    /** The latest found. */
    synchronized List<ToolSpec> specs() {
        return found.values().stream()
                .map(candidate -> McpServers.spec(candidate.link(), candidate.tool()))
                .toList();
    }

    ToolSpec finder() {
        return new ToolSpec(
                NAME,
                "Search the tools of the agent's tool servers; those that are found can be called from then on. Also says which"
                        + " servers cannot be had, and why.",
                "",
                INPUT.json(),
                (toolbox, arguments) -> find(arguments),
                Section.OWN,
                false);
    }

    private synchronized String find(Arguments arguments) {
        List<String> words = Stream.of(
                        arguments.text("query").toLowerCase(Locale.ROOT).split("[^\\p{L}\\p{N}]+", -1))
                .filter(word -> !word.isEmpty())
                .limit(20)
                .toList();
        List<Candidate> hits = links.stream()
                .flatMap(link -> link.tools().stream().map(tool -> new Candidate(link, tool)))
                .filter(candidate -> candidate.hits(words) > 0)
                .sorted(Comparator.comparingInt((Candidate candidate) -> -candidate.hits(words)))
                .limit(HITS_MAX)
                .toList();
        var lines = new ArrayList<String>();
        for (Candidate hit : hits) {
            found.remove(hit.name());
            found.put(hit.name(), hit);
            lines.add(hit.name() + ": "
                    + hit.tool().description().lines().findFirst().orElse(""));
        }
        while (found.size() > McpServers.OFFERED_MAX) {
            Map.Entry<String, Candidate> _ = found.pollFirstEntry();
        }
        if (hits.isEmpty()) {
            lines.add("No tool fits these words.");
        }
        for (ServerLink link : links) {
            String trouble = link.trouble();
            if (!trouble.isEmpty()) {
                lines.add("The tool server " + link.name() + " cannot be had: it " + trouble + ".");
            } else if (hits.isEmpty()) {
                lines.add("The tool server " + link.name() + " has "
                        + link.tools().size() + " tools.");
            }
        }
        return String.join("\n", lines);
    }
}
