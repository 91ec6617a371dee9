package ai.molecule.sdk.identity;

import java.time.Instant;

/**
 * Who calls, as the platform signed it.
 *
 * <pre>{@code
 * boolean person = client.callers().checkOrAsk(shown).caller().equals(PairToken.PLATFORM);
 * }</pre>
 *
 * @param caller a workspace's id, or {@code platform} for a person and for the platform itself
 * @param expiresAt by the platform's clock
 * @param branchVersion the newest change of who may talk to this agent that was looked at
 */
public record PairToken(String caller, Instant expiresAt, long branchVersion) {

    /** Whom the platform speaks for when it is no workspace. */
    public static final String PLATFORM = "platform";
}
