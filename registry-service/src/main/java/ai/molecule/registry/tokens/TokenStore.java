package ai.molecule.registry.tokens;

import ai.molecule.common.bus.registry.VerifyToken;
import ai.molecule.common.bus.registry.VerifyToken.Verdict;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What {@link TokenService} needs from persistence. */
public interface TokenStore {

    /** What a hash proves and which live tokens exist; a token is live until it is revoked or past its expiry. */
    Future<Verdict> verify(VerifyToken question, Instant now);

    /** The verdicts on all of them, in their order. */
    Future<List<Verdict>> verifyAll(List<VerifyToken> questions, Instant now);

    /** What became of a workspace whose token somebody shows, also when the token holds no more. */
    enum Fate {
        REMOVED,
        QUARANTINED,
        /** Neither, or the token was never its. */
        NONE
    }

    Future<Fate> fateOf(byte[] hash, UUID workspaceId);

    /** Whether the token was issued for an earlier start of this workspace than the wanted one. */
    Future<Boolean> isOfEarlierStart(byte[] hash, UUID workspaceId);

    /** Live tokens, newest first. */
    Future<List<WorkspaceToken>> list(UUID workspaceId, int limit, int offset, Instant now);

    /**
     * A token for a person; fails with NOT_FOUND for an unknown or removed workspace, CONFLICT for one that is cut off and
     * RATE_LIMITED at {@code liveMax}.
     */
    Future<Void> issue(UUID workspaceId, String token, int liveMax, @Nullable Instant expiresAt, Instant now);

    /**
     * A token bound to an incarnation: revokes others bound to it and lets those of older ones, and what registrations got without a
     * bearer, expire at {@code overlapEnd};
     * fails with CONFLICT when the incarnation is not current.
     */
    Future<Void> issueForStart(UUID workspaceId, int incarnation, String token, Instant now, Instant overlapEnd);

    /** False when there is no such live token. */
    Future<Boolean> revoke(UUID workspaceId, UUID tokenId, Instant now);

    /** Notes the use of tokens, of workspaces and of the organisation, given by Base64 hash; one used within the last minute is left alone. */
    Future<Void> used(Collection<String> hashes, Instant now);

    /** Forgets tombstones older than {@code before}. */
    Future<Void> forgetTombstones(Instant before);
}
