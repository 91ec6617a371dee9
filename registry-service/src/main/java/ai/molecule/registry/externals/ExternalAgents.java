package ai.molecule.registry.externals;

import ai.molecule.common.db.Database;
import ai.molecule.common.net.HttpTarget;
import ai.molecule.common.net.SafeDialer;
import ai.molecule.registry.heartbeats.HeartbeatService;
import ai.molecule.registry.registrations.RegistrationService;
import ai.molecule.registry.workspaces.NewWorkspace;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks up the cards of agents that were added by their URL and never registered, as any server of A2A can be (docs/adr/0111). What the card
 * says is taken as if the agent had registered it, and that it answers as its heartbeat. Idempotent; every replica runs it and takes its share.
 */
public final class ExternalAgents {

    private static final Logger LOGGER = LoggerFactory.getLogger(ExternalAgents.class);

    /** Looked up at once; the others wait for the next run, two seconds later. */
    private static final int AT_ONCE_MAX = 200;

    /** Looks within the time after which the silent are taken offline. */
    private static final int LOOKS_PER_SILENCE = 4;

    private final PgCardLookupStore store;
    private final CardFetch cards;
    private final RegistrationService registrations;
    private final HeartbeatService heartbeats;
    private final Duration every;

    /** @param silence after which an external agent is taken offline */
    public ExternalAgents(
            Database database,
            SafeDialer dialer,
            RegistrationService registrations,
            HeartbeatService heartbeats,
            Duration silence) {
        this.store = new PgCardLookupStore(database);
        this.cards = new CardFetch(dialer);
        this.registrations = registrations;
        this.heartbeats = heartbeats;
        this.every = silence.dividedBy(LOOKS_PER_SILENCE);
    }

    /** Completes with what was done. */
    public Future<String> run() {
        return store.forgetRemoved()
                .compose(forgotten -> store.claim(every, AT_ONCE_MAX))
                .compose(due -> Future.join(due.stream()
                                .map(one -> look(one.workspaceId(), one.url()))
                                .toList())
                        .otherwiseEmpty()
                        .map(looked -> "looked up %d cards".formatted(due.size())));
    }

    /** So that who is told that the workspace is there can speak to it at once. Waits a few seconds at most and never fails. */
    public Future<Void> added(NewWorkspace workspace) {
        return workspace.external() && HttpTarget.of(workspace.url()).isPresent()
                ? look(workspace.id(), workspace.url()).otherwiseEmpty()
                : Future.succeededFuture();
    }

    private Future<Void> look(UUID workspaceId, String url) {
        return cards.from(url)
                .compose(card -> card.isEmpty()
                        ? store.missed(workspaceId, every)
                        : Future.join(List.of(
                                        registrations.cardSeen(workspaceId, card.get()),
                                        heartbeats.answered(workspaceId),
                                        store.found(workspaceId)))
                                .<Void>mapEmpty())
                .onFailure(failure -> LOGGER.atWarn()
                        .setCause(failure)
                        .addKeyValue("workspaceId", workspaceId)
                        .log("the card of an external agent could not be kept"));
    }
}
