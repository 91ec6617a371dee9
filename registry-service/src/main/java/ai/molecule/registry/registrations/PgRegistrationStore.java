package ai.molecule.registry.registrations;

import ai.molecule.common.ApiError;
import ai.molecule.common.db.Database;
import ai.molecule.common.db.Sql;
import ai.molecule.common.events.EventLog;
import ai.molecule.common.json.Json;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.registry.invitations.PgInvitationStore;
import ai.molecule.registry.lifecycle.Changed;
import ai.molecule.registry.lifecycle.LegalTransitions;
import ai.molecule.registry.lifecycle.PgOrgChart;
import ai.molecule.registry.lifecycle.PgTransitions;
import ai.molecule.registry.lifecycle.RecordedEvent;
import ai.molecule.registry.lifecycle.StatusChange;
import ai.molecule.registry.lifecycle.Trigger;
import ai.molecule.registry.postgres.PgValues;
import ai.molecule.registry.tokens.PgTokenStore;
import ai.molecule.registry.workspaces.PgFreePlace;
import ai.molecule.registry.workspaces.PgWorkspaceQuota;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Registrations, in {@code workspaces} and {@code heartbeats}. */
public record PgRegistrationStore(
        Database database, Enrolment enrolment, PgInvitationStore invitations, PgWorkspaceQuota quotas) {

    /** What the caller showed. */
    public enum Proof {
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
    public record Entry(
            Registration registration,
            boolean urlIgnored,
            Proof proof,
            @Nullable Integer startedAs,
            String freshToken) {}

    /**
     * @param changed null for a removed or paused workspace and for an agent of an earlier start: there nothing is stored
     * @param tokenIssued whether the fresh token was
     */
    public record Registered(@Nullable Changed changed, boolean tokenIssued) {}

    private static final String PROVISIONED = """
            SELECT EXISTS (SELECT 1 FROM workspaces WHERE id = $1 AND endpoint_url IS NOT NULL)
            """;

    private static final String UNCHANGED = """
            SELECT EXISTS (
                SELECT 1 FROM workspaces
                WHERE id = $1 AND ($4 OR url = $2) AND agent_card IS NOT DISTINCT FROM $3::text::jsonb
            )
            """;

    /** Of two that register the same unknown id one creates it, and the other finds it here. */
    private static final String CREATE = """
            INSERT INTO workspaces (id, name, tier, runtime, managed, awareness_namespace,
                status, status_since, created_at, updated_at, admitted)
            VALUES ($1, $1::uuid::text, 1, 'langgraph', false, 'workspace:' || $1::uuid::text, 'online', $2, $2, $2, $3)
            ON CONFLICT (id) DO NOTHING
            """;

    /** Engines name containers and pods by the first twelve characters of an id. */
    private static final String ALIKE = """
            SELECT EXISTS (SELECT 1 FROM workspaces WHERE left(id::text, 12) = left($1::uuid::text, 12) AND id <> $1)
            """;

    private static final String HEARTBEATS = """
            INSERT INTO heartbeats (workspace_id) VALUES ($1) ON CONFLICT DO NOTHING
            """;

    /** Held to the end: whether a live token exists, the status and the wanted start stay what they are read as. */
    private static final String LOCK = """
            SELECT status, incarnation, managed, quarantined FROM workspaces WHERE id = $1 FOR NO KEY UPDATE
            """;

    /** Runs under the row lock. */
    private static final String STORE = """
            UPDATE workspaces
            SET url = CASE WHEN $2 THEN url ELSE $3 END, agent_card = $4::text::jsonb,
                version = version + 1, updated_at = $5
            WHERE id = $1
            RETURNING version, coalesce(endpoint_url, url) AS url
            """;

    private static final String HEARD = """
            UPDATE heartbeats SET last_heartbeat_at = moment() WHERE workspace_id = $1
            """;

    /** One statement; a removed workspace keeps the card it had. */
    private static final String CARD = """
            UPDATE workspaces SET agent_card = $2::text::jsonb, version = version + 1, updated_at = $3
            WHERE id = $1 AND status <> 'removed'
            RETURNING version, status
            """;

    /** Behind the row's lock: one that registers meanwhile has said something else, and is not among those that are looked up any more. */
    private static final String CARD_SEEN = """
            UPDATE workspaces SET agent_card = $2::text::jsonb, version = version + 1, updated_at = $3
            WHERE id = $1 AND status <> 'removed' AND agent_card IS DISTINCT FROM $2::text::jsonb
                AND EXISTS (SELECT FROM card_lookups WHERE workspace_id = $1)
            RETURNING version, status
            """;

    /** It says itself from now on what its card is, and that it lives. */
    private static final String SAYS_ITSELF = "DELETE FROM card_lookups WHERE workspace_id = $1";

    /** Whether our provisioner recorded where its agent listens. */
    public Future<Boolean> isProvisioned(UUID workspaceId) {
        return database.get(PROVISIONED, Tuple.of(workspaceId), row -> row.getBoolean(0));
    }

    /** Whether an invitation of this id waits for its first registration. */
    public Future<Boolean> isInvited(UUID workspaceId, Instant now) {
        return database.transaction(transaction -> invitations.find(transaction, workspaceId, now))
                .map(invited -> invited == PgInvitationStore.Invited.YES);
    }

    /** Whether URL and card equal what is stored. */
    public Future<Boolean> isUnchanged(Registration registration, boolean urlIgnored) {
        return database.get(
                UNCHANGED,
                Tuple.of(registration.workspaceId(), registration.url(), registration.agentCard(), urlIgnored),
                row -> row.getBoolean(0));
    }

    /**
     * Stores a registration with its event and creates the workspace when it is unknown, as its invitation says where there is one. Fails
     * with UNAUTHENTICATED when the caller is unproven and a live token exists after all, or the first one is not theirs to get
     * ({@link Enrolment}), and with CONFLICT for an unknown id that begins as another's.
     */
    public Future<Registered> register(Entry entry, Instant now) {
        var id = entry.registration().workspaceId();
        return database.transaction(transaction -> lock(transaction, id)
                .compose(known -> known.isPresent()
                        ? register(transaction, known.get(), false, entry, now)
                        : enrol(transaction, entry, now)
                                .compose(made -> lock(transaction, id)
                                        .compose(locked ->
                                                register(transaction, locked.orElseThrow(), made, entry, now)))));
    }

    /** Empty when the workspace is unknown or removed. */
    public Future<Optional<Changed>> updateCard(UUID workspaceId, String agentCard, Instant now) {
        return database.transaction(transaction -> updateCard(transaction, CARD, workspaceId, agentCard, now));
    }

    /** Empty when that card is kept already, and for a workspace that is not looked up. */
    public Future<Optional<Changed>> cardSeen(UUID workspaceId, String agentCard, Instant now) {
        return database.transaction(transaction -> lock(transaction, workspaceId)
                .compose(locked -> updateCard(transaction, CARD_SEEN, workspaceId, agentCard, now)));
    }

    private static Future<Optional<Changed>> updateCard(
            Sql transaction, String statement, UUID workspaceId, String agentCard, Instant now) {
        return transaction
                .find(
                        statement,
                        Tuple.of(workspaceId, agentCard, PgValues.time(now)),
                        row -> PgTransitions.toChanged(workspaceId, row))
                .compose(changed -> changed.isEmpty()
                        ? Future.succeededFuture(changed)
                        : EventLog.append(transaction, "AGENT_CARD_UPDATED", workspaceId, cardOf(agentCard))
                                .map(changed));
    }

    private record Locked(WorkspaceStatus status, int incarnation, boolean managed, boolean quarantined) {}

    private static Future<Optional<Locked>> lock(Sql transaction, UUID id) {
        return transaction.find(LOCK, Tuple.of(id), PgRegistrationStore::toLocked);
    }

    private static Locked toLocked(Row row) {
        return new Locked(
                WorkspaceStatus.ofWire(row.getString("status")),
                row.getInteger("incarnation"),
                row.getBoolean("managed"),
                row.getBoolean("quarantined"));
    }

    /**
     * Makes a workspace of an id that was unknown a moment ago. Whoever may not is refused before anybody waits for a lock.
     *
     * @return whether it was made here, and not by somebody else meanwhile
     */
    private Future<Boolean> enrol(Sql transaction, Entry entry, Instant now) {
        var id = entry.registration().workspaceId();
        boolean welcome = enrolment.strangers() || entry.proof() == Proof.ADMINISTRATOR;
        return invitations.find(transaction, id, now).compose(invited -> switch (invited) {
            case YES ->
                PgOrgChart.lock(transaction)
                        .compose(locked -> invitations.claim(transaction, id, now))
                        .compose(
                                claimed -> claimed ? Future.succeededFuture(true) : refuseUnlessKnown(transaction, id));
            case NO_LONGER -> refused();
            case NO -> welcome ? create(transaction, entry, now) : refused();
        });
    }

    /** Somebody else may have claimed the invitation a moment ago: what holds for a workspace with a token then holds here. */
    private static Future<Boolean> refuseUnlessKnown(Sql transaction, UUID id) {
        return lock(transaction, id).compose(known -> known.isPresent() ? Future.succeededFuture(false) : refused());
    }

    private Future<Boolean> create(Sql transaction, Entry entry, Instant now) {
        var id = entry.registration().workspaceId();
        boolean admitted = !enrolment.careful() || entry.proof() == Proof.ADMINISTRATOR;
        return PgOrgChart.lock(transaction)
                .compose(locked -> transaction.query(ALIKE, Tuple.of(id)))
                .compose(rows -> rows.iterator().next().getBoolean(0)
                        ? Future.<Void>failedFuture(ApiError.conflict("another workspace's id begins like this one"))
                        : quotas.checkStranger(transaction, admitted))
                .compose(room -> transaction.query(CREATE, Tuple.of(id, PgValues.time(now), admitted)))
                .compose(created -> created.rowCount() == 0
                        ? Future.succeededFuture(false)
                        : PgFreePlace.take(transaction, id)
                                .compose(placed -> PgTransitions.repeat(transaction, id, appeared(admitted)))
                                .map(true));
    }

    private static <T> Future<T> refused() {
        return Future.failedFuture(ApiError.unauthenticated("missing workspace auth token"));
    }

    /**
     * Whether this caller may be given the first token of a workspace that exists.
     *
     * @param made whether this registration made it, as one that was invited or may come uninvited
     */
    private boolean mayBegin(Locked locked, boolean made, Entry entry) {
        if (locked.quarantined()) {
            return false;
        }
        return !enrolment.careful() || (!locked.managed() && (made || entry.proof() == Proof.ADMINISTRATOR));
    }

    private Future<Registered> register(Sql transaction, Locked locked, boolean made, Entry entry, Instant now) {
        var id = entry.registration().workspaceId();
        boolean replaced = entry.startedAs() != null && entry.startedAs() < locked.incarnation();
        boolean removed = locked.status() == WorkspaceStatus.REMOVED;
        if (removed && enrolment.careful() && entry.proof() == Proof.NOTHING) {
            return refused();
        }
        if (replaced || removed) {
            return Future.succeededFuture(new Registered(null, false));
        }
        return PgTokenStore.countLive(transaction, id, now).compose(live -> {
            if (live > 0) {
                return entry.proof() == Proof.OWN_TOKEN
                        ? store(transaction, locked, entry, now).map(changed -> new Registered(changed, false))
                        : refused();
            }
            if (!mayBegin(locked, made, entry)) {
                return refused();
            }
            return store(transaction, locked, entry, now)
                    .compose(changed -> PgTokenStore.insertFirst(transaction, id, entry.freshToken(), now)
                            .map(new Registered(changed, true)));
        });
    }

    /** Of a paused workspace, and of one that sleeps, nothing: what its agent says then counts when it says it again. */
    private Future<@Nullable Changed> store(Sql transaction, Locked locked, Entry entry, Instant now) {
        if (locked.status() == WorkspaceStatus.PAUSED || locked.status() == WorkspaceStatus.HIBERNATED) {
            return Future.succeededFuture();
        }
        var registration = entry.registration();
        var id = registration.workspaceId();
        return transaction
                .query(
                        STORE,
                        Tuple.of(
                                id,
                                entry.urlIgnored(),
                                registration.url(),
                                registration.agentCard(),
                                PgValues.time(now)))
                .compose(stored -> transaction
                        .query(HEARTBEATS, Tuple.of(id))
                        .compose(present -> transaction.query(SAYS_ITSELF, Tuple.of(id)))
                        .compose(present -> transaction.query(HEARD, Tuple.of(id)))
                        .map(stored.iterator().next()))
                .compose(row -> lift(transaction, locked, online(row, registration), now)
                        .map(lifted -> lifted.orElse(new Changed(id, row.getLong("version"), locked.status()))));
    }

    /** A workspace that is online already is told about once more; one that may not be lifted stays silent. */
    private Future<Optional<Changed>> lift(Sql transaction, Locked locked, Online online, Instant now) {
        if (locked.status() == WorkspaceStatus.ONLINE) {
            return PgTransitions.repeat(transaction, online.id, online.event).map(Optional.empty());
        }
        if (LegalTransitions.next(locked.status(), Trigger.REGISTERED).isEmpty()) {
            return Future.succeededFuture(Optional.empty());
        }
        var change = StatusChange.decide(online.id, locked.status(), Trigger.REGISTERED, online.event);
        return PgTransitions.apply(transaction, change.stream().toList(), now)
                .map(changed -> changed.stream().findFirst());
    }

    /**
     * A canvas makes a node of nothing else, and keeps what comes before it waiting. Of one that nobody let in it says so: it waits for
     * a person.
     */
    private static RecordedEvent appeared(boolean admitted) {
        var payload = Json.object()
                .put("tier", 1)
                .put("runtime", "langgraph")
                .put("status", WorkspaceStatus.PROVISIONING.wire());
        return new RecordedEvent("WORKSPACE_PROVISIONING", admitted ? payload : payload.put("admitted", false));
    }

    private record Online(UUID id, RecordedEvent event) {}

    private static Online online(Row stored, Registration registration) {
        ObjectNode payload = Json.object().put("url", stored.getString("url")).setAll(cardOf(registration.agentCard()));
        return new Online(registration.workspaceId(), new RecordedEvent("WORKSPACE_ONLINE", payload));
    }

    private static ObjectNode cardOf(String agentCard) {
        return Json.object().set("agent_card", Json.stored(agentCard));
    }
}
