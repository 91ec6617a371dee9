package ai.molecule.registry.orgtokens;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Tokens;
import ai.molecule.registry.tokens.TokenService;
import io.vertx.core.Future;
import java.time.Clock;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The rules about org tokens. Each mint and each revocation is logged with who did it, and never with the token. */
public record OrgTokenService(PgOrgTokenStore store, TokenService verdicts, Clock clock) {

    private static final Logger LOGGER = LoggerFactory.getLogger(OrgTokenService.class);

    private static final int LISTED_MAX = 500;

    /** What {@code POST} answers: the description, and the token in clear this once. */
    public record Minted(OrgToken description, String token) {}

    Future<List<OrgToken>> list() {
        return store.list(LISTED_MAX);
    }

    Future<Minted> mint(@Nullable String name, String createdBy) {
        String token = Tokens.mint();
        var description = new OrgToken(UUID.randomUUID(), Tokens.prefix(token), name, createdBy, clock.instant(), null);
        return store.insert(description, token).map(stored -> {
            LOGGER.atInfo()
                    .addKeyValue("tokenId", description.id())
                    .addKeyValue("createdBy", createdBy)
                    .log("org token minted");
            return new Minted(description, token);
        });
    }

    /** When this completes nobody believes an older verdict on the token. */
    Future<Void> revoke(UUID id, String revokedBy) {
        return store.revoke(id, clock.instant()).compose(revoked -> {
            if (!revoked) {
                return Future.failedFuture(ApiError.notFound("token not found or already revoked"));
            }
            LOGGER.atInfo()
                    .addKeyValue("tokenId", id)
                    .addKeyValue("revokedBy", revokedBy)
                    .log("org token revoked");
            return verdicts.organisationChanged();
        });
    }
}
