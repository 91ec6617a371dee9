package ai.molecule.common.auth;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.VerifyToken.Standing;
import ai.molecule.common.bus.registry.VerifyToken.Verdict;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Who a guard found behind a request.
 *
 * @param workspaceId set for {@link Kind#WORKSPACE}
 * @param incarnation the start the token was issued for; null for a token made by hand, and for everybody else
 * @param standing what the workspace may do; ADMITTED for everybody else
 * @param organisationTokenPrefix set for {@link Kind#ORGANISATION}
 * @param person set for {@link Kind#PERSON}
 * @param role what the person may where it was let in
 */
public record Caller(
        Kind kind,
        @Nullable UUID workspaceId,
        @Nullable Integer incarnation,
        Standing standing,
        @Nullable String organisationTokenPrefix,
        @Nullable Person person,
        @Nullable Role role) {

    /** HATCH: let in without a credential, by the development hatch or because no token exists yet. */
    public enum Kind {
        ANONYMOUS,
        HATCH,
        ADMIN,
        ORGANISATION,
        WORKSPACE,
        /** Somebody with a name, whose role the guard found to be enough. */
        PERSON
    }

    public static final Caller ANONYMOUS = nobody(Kind.ANONYMOUS);
    public static final Caller HATCH = nobody(Kind.HATCH);
    public static final Caller ADMIN = nobody(Kind.ADMIN);

    private static final String KEY = Caller.class.getName();

    /** Whom the guard of this route let in; for a route without one, nobody in particular. */
    public static Caller of(RoutingContext ctx) {
        Caller found = ctx.get(KEY);
        return found == null ? ANONYMOUS : found;
    }

    /** Remembers the caller for the handler, see {@link #of}. */
    public void keepIn(RoutingContext ctx) {
        ctx.put(KEY, this);
    }

    /** The workspace that a verdict names. */
    public static Caller workspace(Verdict verdict) {
        return new Caller(
                Kind.WORKSPACE, verdict.workspaceHolder(), verdict.incarnation(), verdict.standing(), null, null, null);
    }

    /** The workspace whose model key a verdict names: to be let in at the model door alone. */
    static Caller payer(Verdict verdict) {
        return new Caller(Kind.WORKSPACE, verdict.modelKeyHolder(), null, verdict.standing(), null, null, null);
    }

    public static Caller organisation(@Nullable String prefix) {
        return new Caller(Kind.ORGANISATION, null, null, Standing.ADMITTED, prefix, null, null);
    }

    /** @param role what it may there; null for somebody who was only recognised */
    public static Caller person(Person person, @Nullable Role role) {
        return new Caller(Kind.PERSON, null, null, Standing.ADMITTED, null, person, role);
    }

    /** Whether the credential is one that rules over all workspaces, or over what it was let in to. */
    public boolean isAdministrator() {
        return kind == Kind.ADMIN || kind == Kind.ORGANISATION || (role != null && role.covers(Role.OPERATOR));
    }

    /** Whether it may do what reaches beyond a branch; who acts for itself may not, nor who has a role for a branch only. */
    public boolean rulesTheOrganisation() {
        return switch (kind) {
            case ADMIN, ORGANISATION, HATCH -> true;
            case PERSON ->
                person != null
                        && person.organisation() != null
                        && person.organisation().covers(Role.OPERATOR);
            case WORKSPACE, ANONYMOUS -> false;
        };
    }

    /** Whether this is a person who was let in by a role for a branch or a tenant: what reaches beyond it, or undoes what the organisation did, is not theirs. */
    public boolean isOfBranchesOnly() {
        return kind == Kind.PERSON && !rulesTheOrganisation();
    }

    /** The person with whose right to act there ends what it makes: somebody with a role for branches or tenants only; null for everybody else. */
    public @Nullable UUID endsWith() {
        return isOfBranchesOnly() && person != null ? person.id() : null;
    }

    /** Of somebody with a role for branches only these; null for everybody else, whom no branch narrows. */
    public @Nullable List<UUID> branchesOnly() {
        return person == null || person.organisation() != null ? null : person.branches();
    }

    /** Who that is by the platform's own word; empty for credentials that name nobody. */
    public Optional<String> name() {
        return Optional.ofNullable(person).map(Person::login);
    }

    /** What is kept of who did something: the credential that was shown, as we saw it, and nothing that opens anything. */
    public String credential() {
        return switch (kind) {
            case ADMIN -> "admin-token";
            case ORGANISATION -> "org-token:" + organisationTokenPrefix;
            case WORKSPACE -> "workspace:" + workspaceId;
            case PERSON -> "person:" + (person == null ? "" : person.login());
            case HATCH, ANONYMOUS -> "none";
        };
    }

    /** Whether this is a workspace that nobody let in. */
    public boolean unadmitted() {
        return standing == Standing.UNADMITTED;
    }

    /** Itself; fails with FORBIDDEN for a paused workspace, which is known and may do nothing but what must go on. */
    public Future<Caller> refuseSuspended() {
        return standing == Standing.SUSPENDED
                ? Future.failedFuture(ApiError.forbidden("workspace is paused"))
                : Future.succeededFuture(this);
    }

    /** Itself; fails with FORBIDDEN for a workspace that nobody admitted: what it does reaches nobody but itself. */
    public Future<Caller> refuseUnadmitted() {
        return unadmitted()
                ? Future.failedFuture(ApiError.forbidden("workspace is not admitted"))
                : Future.succeededFuture(this);
    }

    /** Fails with FORBIDDEN for a token of a person's, which ends: what is made there would outlive it. Sessions and every other credential pass. */
    public void refusePersonToken() {
        if (byPersonToken()) {
            throw ApiError.forbidden(
                    "an API token of a person cannot do this, because the result would outlive the token: sign in to the console, or use an organization token");
        }
    }

    /** Whether a person's token was shown, and no session. */
    public boolean byPersonToken() {
        return person != null && !person.bySession();
    }

    private static Caller nobody(Kind kind) {
        return new Caller(kind, null, null, Standing.ADMITTED, null, null, null);
    }
}
