package ai.molecule.registry.registrations;

import ai.molecule.registry.lifecycle.Changed;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What {@link RegistrationService} needs from persistence. */
public interface RegistrationStore {

    /** What the caller showed. */
    enum Proof {
        OWN_TOKEN,
        /** No token of the workspace, but one that makes workspaces. */
        ADMINISTRATOR,
        /** Let in only because no live token existed. */
        NOTHING
    }

    /**
     * @param urlIgnored whether the endpoint is the provisioner's to say (decision 7)
     * @param startedAs the start its token was issued for; null when it is bound to none
     * @param freshToken issued when no live token exists
     */
    record Entry(
            Registration registration,
            boolean urlIgnored,
            Proof proof,
            @Nullable Integer startedAs,
            String freshToken) {}

    /**
     * @param changed null for a removed or paused workspace and for an agent of an earlier start: there nothing is stored
     * @param tokenIssued whether the fresh token was
     */
    record Registered(@Nullable Changed changed, boolean tokenIssued) {}

    /** Whether our provisioner recorded where its agent listens. */
    Future<Boolean> isProvisioned(UUID workspaceId);

    /** Whether URL and card equal what is stored. */
    Future<Boolean> isUnchanged(Registration registration, boolean urlIgnored);

    /**
     * Stores a registration with its event and creates the workspace when it is unknown, as its invitation says where there is one. Fails
     * with UNAUTHENTICATED when the caller is unproven and a live token exists after all, or the first one is not theirs to get
     * ({@link Enrolment}), and with CONFLICT for an unknown id that begins as another's.
     */
    Future<Registered> register(Entry entry, Instant now);

    /** Empty when the workspace is unknown or removed. */
    Future<Optional<Changed>> updateCard(UUID workspaceId, String agentCard, Instant now);
}
