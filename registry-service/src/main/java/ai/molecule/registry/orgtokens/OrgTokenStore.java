package ai.molecule.registry.orgtokens;

import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** What {@link OrgTokenService} needs from persistence. */
public interface OrgTokenStore {

    /** The newest live ones, newest first, at most {@code limit}. */
    Future<List<OrgToken>> list(int limit);

    /** @param token in clear; only its hash is kept */
    Future<Void> insert(OrgToken description, String token);

    /** False when there is no such live token. */
    Future<Boolean> revoke(UUID id, Instant now);
}
