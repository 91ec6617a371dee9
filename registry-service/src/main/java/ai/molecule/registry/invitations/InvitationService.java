package ai.molecule.registry.invitations;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Tokens;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The rules of inviting. Who comes with an invitation is let in by a registration. */
public record InvitationService(PgInvitationStore store, Clock clock) {

    private static final Logger LOGGER = LoggerFactory.getLogger(InvitationService.class);

    private static final int OPEN_MAX = 1_000;

    /** An invitation that has ended is remembered this long, so that its id stays refused where strangers may register. */
    private static final Duration REMEMBERED = Duration.ofDays(30);

    /** @param madeBy a person of branches or tenants only, with whose right to act there it ends; null for everybody else */
    Future<Invitation> invite(NewInvitation wanted, @Nullable UUID madeBy) {
        var invitation = Invitation.of(wanted, clock.instant());
        return store.insert(invitation, hashOf(wanted.workspaceId()), madeBy, OPEN_MAX)
                .onSuccess(stored -> LOGGER.atInfo()
                        .addKeyValue("invitationId", invitation.id())
                        .addKeyValue("name", invitation.name())
                        .log("agent invited"))
                .map(invitation);
    }

    /** @param within the workspaces at and below which they are into; null for all */
    Future<List<Invitation>> list(@Nullable List<UUID> within) {
        return store.list(clock.instant(), within, OPEN_MAX);
    }

    /** One of those, by its own id or by that of the workspace. Fails with NOT_FOUND. */
    Future<Invitation> find(UUID id, @Nullable List<UUID> within) {
        var hash = hashOf(id);
        return store.find(id, hash, clock.instant(), within)
                .map(found -> found.orElseThrow(InvitationService::unknown));
    }

    /** Fails with NOT_FOUND when there is none that can still be claimed. */
    Future<Void> revoke(UUID id) {
        return store.revoke(id, hashOf(id), clock.instant())
                .compose(revoked -> revoked ? Future.succeededFuture() : Future.failedFuture(unknown()));
    }

    static ApiError unknown() {
        return ApiError.notFound("invitation not found");
    }

    /** Forgets invitations long over; completes with how many. */
    public Future<Integer> sweep() {
        return store.forget(clock.instant().minus(REMEMBERED));
    }

    static byte[] hashOf(UUID workspaceId) {
        return Tokens.hash(workspaceId.toString());
    }
}
