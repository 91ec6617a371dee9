package ai.molecule.events.hub;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What agents are told of each other's addresses, as discovery does it (docs/wire/registry.md, Addresses): the real ones, or the
 * platform's instead.
 *
 * @param hidden whether an agent learns no other's own address
 * @param platform the platform's URL without a slash at its end; null when nobody said it
 */
public record PeerAddresses(boolean hidden, @Nullable String platform) {

    /** @param url as configured */
    public static PeerAddresses of(boolean hidden, @Nullable String url) {
        return new PeerAddresses(hidden, url == null ? null : url.replaceFirst("/+$", ""));
    }

    /** Where another agent reaches it instead; empty where the platform does not know its own address. */
    String addressOf(UUID workspaceId) {
        return platform == null ? "" : "%s/workspaces/%s/a2a".formatted(platform, workspaceId);
    }
}
