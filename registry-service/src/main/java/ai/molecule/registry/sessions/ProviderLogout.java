package ai.molecule.registry.sessions;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * That somebody signed out at a provider, as it was proven.
 *
 * @param provider by our name for it
 * @param tokenId of the token that told it, which tells it once
 * @param subject null where it names a session alone
 * @param session the provider's name for the session; null for all of the subject's
 * @param until so long the token could be shown again
 */
public record ProviderLogout(
        String provider,
        String issuer,
        String tokenId,
        @Nullable String subject,
        @Nullable String session,
        Instant until) {}
