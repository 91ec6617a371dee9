package ai.molecule.runtime.mcp;

import java.util.List;
import java.util.stream.Stream;

/** The revisions of MCP that are spoken. */
final class McpRevisions {

    /** Has no handshake: every request says by itself which revision it is of. */
    static final String STATELESS = "2026-07-28";

    /** Clients of these begin with {@code initialize}. Newest first. */
    static final List<String> WITH_HANDSHAKE = List.of("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05");

    static final List<String> ALL =
            Stream.concat(Stream.of(STATELESS), WITH_HANDSHAKE.stream()).toList();

    /** The only one that knows several messages in one; over HTTP what names none counts as of this. */
    static final String WITH_BATCHES = "2025-03-26";

    /** Knows no HTTP as it is served here, and little else: for who asks for it alone. */
    private static final String OLDEST = "2024-11-05";

    private McpRevisions() {}

    /** What a handshake that asks for one ends with: that one, else the newest that is no newer, else the newest. */
    static String agreed(String asked) {
        if (WITH_HANDSHAKE.contains(asked)) {
            return asked;
        }
        return WITH_HANDSHAKE.stream()
                .filter(each -> !each.equals(OLDEST) && each.compareTo(asked) <= 0)
                .findFirst()
                .orElse(WITH_HANDSHAKE.getFirst());
    }
}
