package ai.molecule.registry.discovery;

import ai.molecule.common.auth.Caller;
import ai.molecule.common.config.Door;
import ai.molecule.registry.RegistryConfig;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Where an agent reaches another one that it cannot prove itself to: at the platform, which knows both. In development, and where
 * {@link Door#PEERS} is open, it is told the other's own address instead.
 *
 * @param only whether nothing else is told to agents
 * @param url of the platform, without a slash at its end; null when nobody said it
 */
public record FrontDoorAddress(boolean only, @Nullable String url) {

    public static FrontDoorAddress of(RegistryConfig config) {
        String url = config.frontDoorUrl();
        return new FrontDoorAddress(
                !config.platform().isOpen(Door.PEERS), url == null ? null : url.replaceFirst("/+$", ""));
    }

    /** Whether this caller learns no other address than this. */
    public boolean hides(Caller caller) {
        return only && !caller.isAdministrator();
    }

    /** @param asTyped where the caller reached the platform, for when nobody said where it is */
    public String addressOf(UUID workspaceId, String asTyped) {
        return "%s/workspaces/%s/a2a".formatted(originOf(asTyped), workspaceId);
    }

    /** Of the platform, without a slash at its end; {@code asTyped} for when nobody said where it is. */
    public String originOf(String asTyped) {
        return url == null ? asTyped : url;
    }
}
