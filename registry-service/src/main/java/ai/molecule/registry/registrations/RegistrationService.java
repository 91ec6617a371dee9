package ai.molecule.registry.registrations;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.auth.Role;
import ai.molecule.common.auth.Tokens;
import ai.molecule.common.bus.registry.VerifyToken.Verdict;
import ai.molecule.registry.lifecycle.Announcements;
import ai.molecule.registry.lifecycle.Changed;
import ai.molecule.registry.registrations.PgRegistrationStore.Entry;
import ai.molecule.registry.registrations.PgRegistrationStore.Proof;
import ai.molecule.registry.registrations.PgRegistrationStore.Registered;
import ai.molecule.registry.tokens.PgTokenStore.Fate;
import ai.molecule.registry.tokens.TokenService;
import io.vertx.core.Future;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The rules of registering: whose URL counts, who may, and what comes back. */
public record RegistrationService(
        PgRegistrationStore store,
        Enrolment enrolment,
        AgentUrls urls,
        TokenService tokens,
        Guards guards,
        Announcements announcements,
        Clock clock) {

    /** What is known of the one who registers. */
    private record Standing(
            boolean proven, boolean urlIgnored, @Nullable Integer startedAs) {}

    /**
     * Checks in the contract's order: URL, then token; but in production a stranger's URL is nobody's to explain.
     *
     * @return a token when the workspace had none
     */
    Future<Optional<String>> register(Registration registration, @Nullable String bearer) {
        var id = registration.workspaceId();
        return Future.all(tokens.verify(bearer, id), store.isProvisioned(id))
                .map(both -> standing(id, both.resultAt(0), both.resultAt(1)))
                .compose(standing -> checkUrl(registration, standing)
                        .recover(bad -> standing.proven || !enrolment.careful()
                                ? Future.failedFuture(bad)
                                : explain(bad, id, bearer))
                        .compose(acceptable -> guards.ownToken(bearer, id))
                        .compose(
                                caller -> admit(registration, standing, caller, bearer),
                                refused -> repeat(registration, standing, bearer, refused)));
    }

    Future<Void> updateCard(UUID id, String agentCard, @Nullable String bearer) {
        return guards.agent(bearer, id)
                .recover(refused -> tokens.explain(refused, bearer, id))
                .compose(Caller::refuseSuspended)
                .compose(caller -> store.updateCard(id, agentCard, clock.instant()))
                .onSuccess(changed -> announcements.changed(changed.stream().toList()))
                .mapEmpty();
    }

    /** Keeps the card that was found at the URL of an agent that never registered; where it is the one that is kept, nothing happens. */
    public Future<Void> cardSeen(UUID id, String agentCard) {
        return store.cardSeen(id, agentCard, clock.instant())
                .onSuccess(changed -> announcements.changed(changed.stream().toList()))
                .mapEmpty();
    }

    /**
     * Where an agent of ours listens is the provisioner's to say (decision 7): it is ours when its endpoint is recorded, or when
     * it shows a token issued for one of our starts.
     */
    private static Standing standing(UUID id, Verdict verdict, boolean provisioned) {
        boolean proven = id.equals(verdict.workspaceHolder());
        Integer startedAs = proven ? verdict.incarnation() : null;
        return new Standing(proven, provisioned || startedAs != null, startedAs);
    }

    /** In production a stranger's is judged also where it would be ignored: a bad one shall not tell of a workspace of ours. */
    private Future<Void> checkUrl(Registration registration, Standing standing) {
        return standing.urlIgnored && (standing.proven || !enrolment.careful())
                ? Future.succeededFuture()
                : urls.check(registration.url());
    }

    /** What is wrong with the URL is for whoever could register with a better one. */
    private Future<Void> explain(Throwable bad, UUID id, @Nullable String bearer) {
        return Future.all(mayMakeWorkspaces(bearer), store.isInvited(id, clock.instant()))
                .compose(both -> enrolment.strangers() || both.<Boolean>resultAt(0) || both.<Boolean>resultAt(1)
                        ? Future.failedFuture(bad)
                        : Future.failedFuture(Guards.refusal(bearer)));
    }

    private Future<Optional<String>> admit(
            Registration registration, Standing standing, Caller caller, @Nullable String bearer) {
        String token = Tokens.mint();
        return proofOf(caller, bearer)
                .map(proof -> new Entry(registration, standing.urlIgnored, proof, standing.startedAs, token))
                .compose(entry -> store.register(entry, clock.instant()))
                .recover(refused -> answerTheRemoved(refused, bearer, registration.workspaceId()))
                .compose(registered ->
                        announce(registration.workspaceId(), registered).map(registered))
                .map(registered -> registered.tokenIssued() ? Optional.of(token) : Optional.empty());
    }

    /** An administrator's bearer counts where the workspace has no token of its own. */
    private Future<Proof> proofOf(Caller caller, @Nullable String bearer) {
        if (caller.kind() == Caller.Kind.WORKSPACE) {
            return Future.succeededFuture(Proof.OWN_TOKEN);
        }
        return mayMakeWorkspaces(bearer).map(may -> may ? Proof.ADMINISTRATOR : Proof.NOTHING);
    }

    private Future<Boolean> mayMakeWorkspaces(@Nullable String bearer) {
        return bearer == null
                ? Future.succeededFuture(false)
                : guards.admin(bearer, Role.OPERATOR)
                        .map(Caller::isAdministrator)
                        .otherwise(false);
    }

    /**
     * Without a bearer a registration that changes nothing is still answered well, and does nothing (decision 4); in production it
     * is refused, because the answer would tell a stranger that it guessed right.
     */
    private Future<Optional<String>> repeat(
            Registration registration, Standing standing, @Nullable String bearer, Throwable refused) {
        boolean missing = refused instanceof ApiError error && error.kind() == ApiError.Kind.UNAUTHENTICATED;
        if (bearer != null || !missing || enrolment.careful()) {
            return tokens.explain(refused, bearer, registration.workspaceId());
        }
        return store.isUnchanged(registration, standing.urlIgnored)
                .compose(same -> same ? Future.succeededFuture(Optional.empty()) : Future.failedFuture(refused));
    }

    /** An agent that was deleted is told so by its state, not by a refusal here; a stranger hears what it hears of any id. */
    private Future<Registered> answerTheRemoved(Throwable refused, @Nullable String bearer, UUID id) {
        boolean unauthenticated = refused instanceof ApiError error && error.kind() == ApiError.Kind.UNAUTHENTICATED;
        return bearer == null || !unauthenticated
                ? Future.failedFuture(refused)
                : tokens.fateOf(bearer, id)
                        .compose(fate -> fate == Fate.REMOVED
                                ? Future.succeededFuture(new Registered(null, false))
                                : Future.failedFuture(Guards.refusal(bearer)));
    }

    private Future<Void> announce(UUID id, Registered registered) {
        Changed changed = registered.changed();
        if (changed != null) {
            announcements.changed(List.of(changed));
            announcements.alive(List.of(id));
        }
        return registered.tokenIssued() ? tokens.changed(id) : Future.succeededFuture();
    }
}
