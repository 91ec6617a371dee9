package ai.molecule.events;

import ai.molecule.common.auth.Person;
import ai.molecule.common.auth.Role;
import ai.molecule.common.auth.Tokens;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.TokensChanged;
import ai.molecule.common.bus.hints.WorkspaceChanged;
import ai.molecule.common.bus.registry.Directory;
import ai.molecule.common.bus.registry.Directory.Entry;
import ai.molecule.common.bus.registry.JudgeCall;
import ai.molecule.common.bus.registry.VerifyToken;
import ai.molecule.common.bus.registry.VerifyToken.Holder;
import ai.molecule.common.bus.registry.VerifyToken.Standing;
import ai.molecule.common.bus.registry.VerifyToken.Verdict;
import ai.molecule.common.workspaces.WorkspaceStatus;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A small registry on the bus: workspaces and tokens that a test sets up and changes. */
final class Organisation {

    private final Bus bus;
    private final Map<UUID, Entry> entries = new ConcurrentHashMap<>();
    private final Map<String, UUID> tokens = new ConcurrentHashMap<>();
    private final Set<String> organisationTokens = ConcurrentHashMap.newKeySet();
    private final Map<String, Person> people = new ConcurrentHashMap<>();
    private final Set<UUID> paused = ConcurrentHashMap.newKeySet();
    final AtomicInteger asked = new AtomicInteger();
    private volatile boolean hanging;
    private volatile String lagging = "";

    private Organisation(Bus bus) {
        this.bus = bus;
    }

    static Organisation on(Vertx vertx) {
        var organisation = new Organisation(new Bus(vertx));
        organisation
                .bus
                .serve(Directory.CONTRACT, question -> {
                    organisation.asked.incrementAndGet();
                    return organisation.hanging
                            ? Promise.<Directory.Snapshot>promise().future()
                            : Future.succeededFuture(
                                    new Directory.Snapshot(new ArrayList<>(organisation.entries.values())));
                })
                .await();
        organisation
                .bus
                .serve(VerifyToken.CONTRACT, question -> Future.succeededFuture(organisation.verdict(question)))
                .await();
        organisation
                .bus
                .serve(JudgeCall.CONTRACT, question -> Future.succeededFuture(new JudgeCall.Verdicts(List.of())))
                .await();
        return organisation;
    }

    UUID add(String name, @Nullable UUID parent) {
        var id = UUID.randomUUID();
        put(new Entry(id, parent, name, name + "'s role", WorkspaceStatus.ONLINE, true));
        return id;
    }

    /** One that registered itself and that nobody let in. */
    UUID addStranger(String name) {
        var id = UUID.randomUUID();
        put(new Entry(id, null, name, null, WorkspaceStatus.ONLINE, false));
        return id;
    }

    /** Takes questions about the directory and answers none of them. */
    void hang() {
        hanging = true;
    }

    void goOn() {
        hanging = false;
    }

    /** As {@link #revoke}, but whoever asks first is answered by a replica that has not heard of it. */
    void revokeBehindAReplica(String token, UUID workspaceId) {
        lagging = hashOf(token);
        bus.publish(TokensChanged.HINT, new TokensChanged(workspaceId));
    }

    void pause(UUID workspaceId) {
        paused.add(workspaceId);
        bus.publish(WorkspaceChanged.HINT, new WorkspaceChanged(workspaceId, 2));
    }

    /** With all below it, as the registry does it: tokens go at once, each is told of, the top one's tokens besides. */
    void removeBranch(UUID top, UUID... below) {
        tokens.values().removeAll(Set.of(below));
        tokens.values().remove(top);
        for (var id : below) {
            bus.publish(WorkspaceChanged.HINT, new WorkspaceChanged(id, 2));
        }
        bus.publish(WorkspaceChanged.HINT, new WorkspaceChanged(top, 2));
        bus.publish(TokensChanged.HINT, new TokensChanged(top));
    }

    void move(UUID workspaceId, UUID parent) {
        var moved = Objects.requireNonNull(entries.get(workspaceId));
        put(new Entry(moved.id(), parent, moved.name(), moved.role(), moved.status(), moved.admitted()));
    }

    void put(Entry entry) {
        entries.put(entry.id(), entry);
        bus.publish(WorkspaceChanged.HINT, new WorkspaceChanged(entry.id(), 1));
    }

    /** Adds it without telling anybody. */
    void addSilently(Entry entry) {
        entries.put(entry.id(), entry);
    }

    String tokenFor(UUID workspaceId) {
        String token = Tokens.mint();
        tokens.put(hashOf(token), workspaceId);
        return token;
    }

    void revoke(String token, UUID workspaceId) {
        tokens.remove(hashOf(token));
        bus.publish(TokensChanged.HINT, new TokensChanged(workspaceId));
    }

    String organisationToken() {
        String token = Tokens.mint();
        organisationTokens.add(hashOf(token));
        return token;
    }

    /** Of somebody with that role for the branch alone. */
    String personOf(UUID branch, Role role) {
        String token = Tokens.mint();
        people.put(
                hashOf(token),
                new Person(
                        UUID.randomUUID(), "kim", "Kim", null, role, List.of(branch), "token:" + Tokens.prefix(token)));
        return token;
    }

    /** Somebody who is let in still, and has no role for anything. */
    void withdrawRoles(String token) {
        people.computeIfPresent(
                hashOf(token),
                (hash, person) -> new Person(
                        person.id(), person.login(), person.name(), null, null, List.of(), person.credential()));
        bus.publish(TokensChanged.HINT, new TokensChanged(null));
    }

    void shutOut(String token) {
        people.remove(hashOf(token));
        bus.publish(TokensChanged.HINT, new TokensChanged(null));
    }

    void revokeOrganisationToken(String token) {
        organisationTokens.remove(hashOf(token));
        bus.publish(TokensChanged.HINT, new TokensChanged(null));
    }

    private static String hashOf(String token) {
        return Base64.getEncoder().encodeToString(Tokens.hash(token));
    }

    private Verdict verdict(VerifyToken question) {
        String hash = question.tokenHash();
        UUID holder = hash == null ? null : tokens.get(hash);
        if (hash != null && organisationTokens.contains(hash)) {
            return new Verdict(Holder.ORGANISATION, null, null, Standing.ADMITTED, "prefix", !tokens.isEmpty(), false);
        }
        UUID asked = question.workspaceId();
        var person = hash == null ? null : people.get(hash);
        if (person != null) {
            return new Verdict(
                    Holder.PERSON,
                    null,
                    null,
                    Standing.ADMITTED,
                    null,
                    !tokens.isEmpty(),
                    false,
                    null,
                    at(asked, person));
        }
        if (lagging.equals(hash)) {
            tokens.remove(hash); // from the next question on
        }
        return new Verdict(
                holder == null ? Holder.NOBODY : Holder.WORKSPACE,
                holder,
                null,
                standingOf(holder),
                null,
                !tokens.isEmpty(),
                asked != null && tokens.containsValue(asked));
    }

    /** With its role there, if it has one. */
    private Person at(@Nullable UUID asked, Person person) {
        var above = asked == null ? null : entries.get(asked);
        while (above != null && !person.branches().contains(above.id())) {
            var parent = above.parentId();
            above = parent == null ? null : entries.get(parent);
        }
        return above != null
                ? person
                : new Person(
                        person.id(), person.login(), person.name(), null, null, person.branches(), person.credential());
    }

    private Standing standingOf(@Nullable UUID workspaceId) {
        var entry = workspaceId == null ? null : entries.get(workspaceId);
        if (workspaceId != null && paused.contains(workspaceId)) {
            return Standing.SUSPENDED;
        }
        return entry == null || entry.admitted() ? Standing.ADMITTED : Standing.UNADMITTED;
    }
}
