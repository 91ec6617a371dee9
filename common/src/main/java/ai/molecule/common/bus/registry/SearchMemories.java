package ai.molecule.common.bus.registry;

import ai.molecule.common.bus.Contract;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A workspace's own memories of every scope, for the session search of events-service. Reads only.
 *
 * @param text part of content or scope, in any case, surrounding blanks ignored, {@code %} and {@code _} being wildcards; null or empty for all
 * @param limit 1 to 200, beyond that the nearer of the two
 */
public record SearchMemories(UUID workspaceId, @Nullable String text, int limit) {

    public static final Contract<SearchMemories, Found> CONTRACT =
            Contract.reading("registry.search-memories", SearchMemories.class, Found.class);

    /** @param content as stored, without the frame that GLOBAL ones are shown in over HTTP */
    public record Hit(UUID id, String scope, String content, Instant createdAt) {}

    /** Newest first; ends early where the contents would exceed 4 MiB together. */
    public record Found(List<Hit> hits) {}
}
