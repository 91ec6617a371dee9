package ai.molecule.common.auth;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.VerifyToken;
import ai.molecule.common.bus.registry.VerifyToken.Holder;
import ai.molecule.common.bus.registry.VerifyToken.Standing;
import ai.molecule.common.bus.registry.VerifyToken.Verdict;
import ai.molecule.common.config.Door;
import ai.molecule.common.config.Environment;
import ai.molecule.common.config.PlatformConfig;
import ai.molecule.common.http.Cors;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.RoutingContext;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The checks behind {@link Guard}, in the order that docs/wire/README.md gives. Each completes with who the caller
 * is, or fails with the contract's 401.
 */
public final class Guards {

    private static final Set<HttpMethod> READING = Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS);

    private final PlatformConfig config;
    private final Credentials credentials;

    public Guards(PlatformConfig config, Credentials credentials) {
        this.config = config;
        this.credentials = credentials;
    }

    /** What the guards themselves ask. */
    public Credentials credentials() {
        return credentials;
    }

    /** For a handler that asks once more, about no more than the workspace in the path. */
    public Future<Caller> check(Guard guard, RoutingContext ctx) {
        return check(guard, Reach.ONE_WORKSPACE, ctx);
    }

    /** @param reach how far what is asked reaches */
    public Future<Caller> check(Guard guard, Reach reach, RoutingContext ctx) {
        String bearer = Bearer.of(ctx.request());
        var needed = READING.contains(ctx.request().method()) ? Role.VIEWER : Role.OPERATOR;
        return switch (guard) {
            case OPEN, HANDLER -> Future.succeededFuture(Caller.ANONYMOUS);
            case ADMIN -> administrator(bearer, needed, reach, ctx);
            case LOOKING ->
                administrator(bearer, Role.VIEWER, reach, ctx).recover(refused -> ofBranches(bearer, refused));
            case LISTING -> administrator(bearer, needed, reach, ctx).recover(refused -> ofBranches(bearer, refused));
            case OWNER -> administrator(bearer, Role.OWNER, reach, ctx);
            case PERSON -> person(bearer);
            case WORKSPACE -> workspace(bearer, idOrNull(ctx.pathParam("id")), needed, Guards::active);
            case RESULTS -> workspace(bearer, idOrNull(ctx.pathParam("id")), needed, Caller::workspace);
            case ADMITTED -> workspace(bearer, idOrNull(ctx.pathParam("id")), needed, Guards::admitted);
            case CREDENTIAL -> credential(bearer, Door.READING, idOrNull(ctx.pathParam("id")));
            case METRICS -> credential(bearer, Door.METRICS, null);
            case CANVAS_OR_BEARER -> canvasOrBearer(bearer, ctx.request().getHeader("Origin"));
        };
    }

    /** Of one workspace a person may as much as its role there says, as far as that stays there; of the organisation, as its role for that does. */
    private Future<Caller> administrator(@Nullable String bearer, Role needed, Reach reach, RoutingContext ctx) {
        if (AgentsEntrance.took(ctx.request())) {
            return adminOnly(bearer);
        }
        var about = ctx.normalizedPath().startsWith("/workspaces/") ? idOrNull(ctx.pathParam("id")) : null;
        if (about == null || bearer == null) {
            return admin(bearer, needed);
        }
        if (reach.leavesTheBranch()) {
            return admin(bearer, needed)
                    .recover(refused -> Future.failedFuture(isTooLittle(refused) ? beyondTheBranch() : refused))
                    .compose(caller -> caller.isOfBranchesOnly() // the hatch lets anybody in, and knows people
                            ? Future.failedFuture(beyondTheBranch())
                            : Future.succeededFuture(caller));
        }
        return admin(bearer, needed).recover(refused -> ofBranch(bearer, about, needed, refused));
    }

    /** What somebody with a role for a branch or a tenant is told who would take something out of it, or into it. */
    public static ApiError beyondTheBranch() {
        return ApiError.forbidden("this asks for the role of an operator of the organisation");
    }

    private static boolean isTooLittle(Throwable refused) {
        return refused instanceof ApiError error && error.kind() == ApiError.Kind.FORBIDDEN;
    }

    /** Somebody with a role for branches only, or one who may less for the organisation than somewhere in it: the handler knows where it is about. */
    private Future<Caller> ofBranches(@Nullable String bearer, Throwable refused) {
        return bearer == null || !isTooLittle(refused)
                ? Future.failedFuture(refused)
                : credentials.verify(bearer, null).compose(verdict -> {
                    var person = verdict.person();
                    return person == null || !person.hasAnyRole()
                            ? Future.failedFuture(refused)
                            : Future.succeededFuture(Caller.person(person, Role.VIEWER));
                });
    }

    /**
     * For the handler of a {@link Guard#LISTING} that acts on something of one workspace: who was let in for less than the organisation must be an
     * operator there. Fails with NOT_FOUND where that is nobody it may know of, as for one that there is not.
     */
    public Future<?> actsAt(RoutingContext ctx, UUID workspaceId) {
        return Caller.of(ctx).isAdministrator() ? Future.succeededFuture() : mayAt(ctx, workspaceId, Role.OPERATOR);
    }

    /** The same for one that tells of a workspace: of a branch, whoever may look there. */
    public Future<?> looksAt(RoutingContext ctx, UUID workspaceId) {
        return Caller.of(ctx).isAdministrator() ? Future.succeededFuture() : mayAt(ctx, workspaceId, Role.VIEWER);
    }

    /**
     * Whether a person's session or token, or an organization token, of which only the hash was kept ({@link Credentials#hashOf}), would still be let in
     * to look at a workspace. Fails with a refusal where not.
     */
    public Future<Caller> looksByHash(String hash, UUID workspaceId) {
        return byHash(hash, workspaceId, Role.VIEWER);
    }

    /**
     * As {@link #looksByHash}, to act there, and also for the administrator's token and sessions of it.
     *
     * @param hash null for one that the development bypass let in
     */
    public Future<Caller> actsByHash(@Nullable String hash, UUID workspaceId) {
        if (hash == null) {
            return config.hatchOpen() ? Future.succeededFuture(Caller.HATCH) : Future.failedFuture(refusal(null));
        }
        String adminToken = config.adminToken();
        if (adminToken != null && Tokens.same(hash, Credentials.hashOf(adminToken))) {
            return Future.succeededFuture(Caller.ADMIN);
        }
        return credentials
                .verify(new VerifyToken(hash, workspaceId))
                .compose(verdict -> verdict.holder() == Holder.SESSION
                        ? Future.succeededFuture(Caller.ADMIN)
                        : byHash(hash, workspaceId, Role.OPERATOR));
    }

    private Future<Caller> byHash(String hash, UUID workspaceId, Role needed) {
        return credentials.verify(new VerifyToken(hash, workspaceId)).map(verdict -> {
            if (verdict.holder() == Holder.ORGANISATION) {
                return Caller.organisation(verdict.organisationTokenPrefix());
            }
            if (verdict.person() != null) {
                return at(verdict.person(), needed);
            }
            throw refusal(hash);
        });
    }

    /** As {@link #actsAt}, for what may be the organisation's as a whole, too: of people that asks for an operator of it. */
    public Future<?> actsFor(RoutingContext ctx, @Nullable UUID workspaceId) {
        if (workspaceId != null) {
            return actsAt(ctx, workspaceId);
        }
        var caller = Caller.of(ctx);
        return caller.kind() == Caller.Kind.PERSON && !caller.rulesTheOrganisation()
                ? Future.failedFuture(tooLittle(Role.OPERATOR))
                : Future.succeededFuture();
    }

    private Future<?> mayAt(RoutingContext ctx, UUID workspaceId, Role needed) {
        return Caller.of(ctx).kind() == Caller.Kind.PERSON
                ? workspace(Bearer.of(ctx.request()), workspaceId, needed)
                : Future.succeededFuture();
    }

    /** Asked once more, of that workspace, where a person may too little for the organisation. */
    private Future<Caller> ofBranch(String bearer, UUID about, Role needed, Throwable refused) {
        return !isTooLittle(refused)
                ? Future.failedFuture(refused)
                : credentials.verify(bearer, about).map(verdict -> {
                    var person = verdict.person();
                    if (person == null) {
                        throw (ApiError) refused;
                    }
                    return at(person, needed);
                });
    }

    /** An administrator, or a person with that role for the organisation. */
    public Future<Caller> admin(@Nullable String bearer, Role needed) {
        if (config.hatchOpen()) {
            return throughTheHatch(bearer);
        }
        if (isAdmin(bearer)) {
            return Future.succeededFuture(Caller.ADMIN);
        }
        return adminByHash(bearer == null ? null : Credentials.hashOf(bearer), needed);
    }

    /** As {@link #admin}, for one who kept only the hash of a bearer ({@link Credentials#hashOf}). */
    public Future<Caller> adminByHash(@Nullable String hash, Role needed) {
        if (config.hatchOpen()) {
            return Future.succeededFuture(Caller.HATCH);
        }
        String adminToken = config.adminToken();
        if (hash != null && adminToken != null && Tokens.same(hash, Credentials.hashOf(adminToken))) {
            return Future.succeededFuture(Caller.ADMIN);
        }
        return credentials.verify(new VerifyToken(hash, null)).map(verdict -> {
            if (!verdict.anyLiveToken() && config.adminToken() == null) {
                return Caller.HATCH; // nobody has a token yet: the first workspace must be creatable
            }
            if (hash == null) {
                throw ApiError.unauthenticated("admin auth required");
            }
            if (verdict.holder() == Holder.ORGANISATION) {
                return Caller.organisation(verdict.organisationTokenPrefix());
            }
            if (verdict.holder() == Holder.SESSION) {
                return Caller.ADMIN;
            }
            if (verdict.person() != null) {
                return inOrganisation(verdict.person(), needed);
            }
            if (config.adminToken() == null && verdict.workspaceHolder() != null) {
                return active(verdict);
            }
            throw ApiError.unauthenticated("invalid admin auth token");
        });
    }

    /** For agents' networks: neither the hatch nor a workspace's own token opens what is an administrator's. */
    private Future<Caller> adminOnly(@Nullable String bearer) {
        if (isAdmin(bearer)) {
            return Future.succeededFuture(Caller.ADMIN);
        }
        return credentials.verify(bearer, null).map(verdict -> {
            if (verdict.holder() == Holder.ORGANISATION) {
                return Caller.organisation(verdict.organisationTokenPrefix());
            }
            throw ApiError.unauthenticated("invalid admin auth token");
        });
    }

    /** Everybody passes; who comes with an organisation's token is still known as such. */
    private Future<Caller> throughTheHatch(@Nullable String bearer) {
        if (bearer == null) {
            return Future.succeededFuture(Caller.HATCH);
        }
        return credentials
                .verify(bearer, null)
                .map(verdict -> switch (verdict.holder()) {
                    case ORGANISATION -> Caller.organisation(verdict.organisationTokenPrefix());
                    case PERSON -> Caller.person(Objects.requireNonNull(verdict.person()), Role.OWNER);
                    case NOBODY, WORKSPACE, MODEL_KEY, SESSION -> Caller.HATCH;
                })
                .otherwise(Caller.HATCH);
    }

    /** Whoever it is, as long as it has a name here: 401 for everybody else, also where the hatch is open. */
    public Future<Caller> person(@Nullable String bearer) {
        if (bearer == null || isAdmin(bearer)) {
            return Future.failedFuture(unnamed());
        }
        return credentials.verify(bearer, null).map(verdict -> {
            var person = verdict.person();
            if (person == null) {
                throw unnamed();
            }
            return Caller.person(person, person.organisation());
        });
    }

    private static ApiError unnamed() {
        return ApiError.unauthenticated("this is for people who signed in");
    }

    /** Fails with FORBIDDEN for a person whose role is less, or for a branch only. */
    private static Caller inOrganisation(Person person, Role needed) {
        var role = person.organisation();
        if (role == null || !role.covers(needed)) {
            throw tooLittle(needed);
        }
        return Caller.person(person, role);
    }

    /** Fails with FORBIDDEN for a person whose role at the workspace is less; without one there is no such workspace to it. */
    private static Caller at(Person person, Role needed) {
        var role = person.there();
        if (role == null) {
            throw ApiError.notFound("workspace not found");
        }
        if (!role.covers(needed)) {
            throw tooLittle(needed);
        }
        return Caller.person(person, role);
    }

    private static ApiError tooLittle(Role needed) {
        return ApiError.forbidden(
                "this asks for the role of %s %s".formatted(needed == Role.VIEWER ? "a" : "an", needed.wire()));
    }

    /** A person, known by this hash, at a workspace; null for one that is no workspace's id, which the handler answers. */
    private Future<Caller> at(@Nullable UUID id, String hash, Person person, Role needed) {
        return id == null
                ? Future.succeededFuture(inOrganisation(person, needed))
                : credentials.verify(new VerifyToken(hash, id)).map(verdict -> {
                    var there = verdict.person();
                    if (there == null) {
                        throw refusal(hash);
                    }
                    return at(there, needed);
                });
    }

    /**
     * An administrator, the workspace itself, or a person with that role there.
     *
     * @param id null for an id that is no UUID: then only admin, org and hatch pass, and the handler answers the bad id
     */
    public Future<Caller> workspace(@Nullable String bearer, @Nullable UUID id, Role needed) {
        return workspace(bearer, id, needed, Guards::active);
    }

    private Future<Caller> workspace(
            @Nullable String bearer, @Nullable UUID id, Role needed, Function<Verdict, Caller> own) {
        if (bearer == null) {
            return config.hatchOpen() ? Future.succeededFuture(Caller.HATCH) : Future.failedFuture(refusal(bearer));
        }
        if (isAdmin(bearer)) {
            return Future.succeededFuture(Caller.ADMIN);
        }
        return credentials.verify(bearer, null).compose(verdict -> {
            if (verdict.holder() == Holder.ORGANISATION) {
                return Future.succeededFuture(Caller.organisation(verdict.organisationTokenPrefix()));
            }
            if (verdict.holder() == Holder.SESSION) {
                return Future.succeededFuture(Caller.ADMIN);
            }
            if (verdict.person() != null) {
                return at(id, Credentials.hashOf(bearer), verdict.person(), needed);
            }
            if (id != null && id.equals(verdict.workspaceHolder())) {
                return Future.succeededFuture(own.apply(verdict));
            }
            return Future.failedFuture(refusal(bearer));
        });
    }

    /**
     * For register and what else must be answered before there is a token: nothing is asked while the workspace has no live token; then only its own passes.
     */
    public Future<Caller> ownToken(@Nullable String bearer, UUID id) {
        return ownToken(bearer, id, "workspace");
    }

    /** For discover and peers: as {@link #agent}, and the hatch opens it. */
    public Future<Caller> discovery(@Nullable String bearer, UUID id) {
        return config.hatchOpen() ? Future.succeededFuture(Caller.HATCH) : agent(bearer, id);
    }

    /** As {@link #ownToken}, but in production nobody speaks for a workspace that has no token. */
    public Future<Caller> agent(@Nullable String bearer, UUID id) {
        return ownToken(bearer, id).compose(caller -> {
            boolean nobody = caller.kind() == Caller.Kind.HATCH && config.environment() == Environment.PRODUCTION;
            return nobody ? Future.failedFuture(refusal(bearer)) : Future.succeededFuture(caller);
        });
    }

    /** What is said to who does not prove to be a workspace: by it nobody learns whether there is such a workspace. */
    public static ApiError refusal(@Nullable String bearer) {
        return refusal(bearer, "workspace");
    }

    private static ApiError refusal(@Nullable String bearer, String whose) {
        return ApiError.unauthenticated("%s %s auth token".formatted(bearer == null ? "missing" : "invalid", whose));
    }

    /** For A2A: the token of the calling workspace, whoever the target is. */
    public Future<Caller> a2aCaller(@Nullable String bearer, UUID callerId) {
        return ownToken(bearer, callerId, "caller");
    }

    /** Who shows this, whatever it may do: nobody in particular without a bearer and with one that proves nothing. */
    public Future<Caller> whose(@Nullable String bearer) {
        if (bearer == null) {
            return Future.succeededFuture(Caller.ANONYMOUS);
        }
        if (isAdmin(bearer)) {
            return Future.succeededFuture(Caller.ADMIN);
        }
        return credentials.verify(bearer, null).map(verdict -> switch (verdict.holder()) {
            case ORGANISATION -> Caller.organisation(verdict.organisationTokenPrefix());
            case WORKSPACE -> Caller.workspace(verdict);
            case SESSION -> Caller.ADMIN;
            case PERSON -> Caller.person(Objects.requireNonNull(verdict.person()), null);
            case MODEL_KEY, NOBODY -> Caller.ANONYMOUS;
        });
    }

    /** For the model door: as {@link #whose}, and a workspace's model key is as good as its token. */
    public Future<Caller> payer(String bearer) {
        return isAdmin(bearer)
                ? Future.succeededFuture(Caller.ADMIN)
                : credentials
                        .verify(bearer, null)
                        .compose(verdict -> verdict.holder() == Holder.MODEL_KEY
                                ? Future.succeededFuture(Caller.payer(verdict))
                                : whose(bearer));
    }

    private Future<Caller> ownToken(@Nullable String bearer, UUID id, String whose) {
        return credentials.verify(bearer, id).map(verdict -> {
            if (!verdict.workspaceHasLiveToken()) {
                return Caller.HATCH;
            }
            if (bearer == null || !id.equals(verdict.workspaceHolder())) {
                throw refusal(bearer, whose);
            }
            return Caller.workspace(verdict);
        });
    }

    /** A paused workspace is known, and may do nothing but what asks {@link #ownToken}; a 401 would have its agent join anew for ever. */
    private static Caller active(Verdict verdict) {
        if (verdict.standing() == Standing.SUSPENDED) {
            throw new ApiError(ApiError.Kind.FORBIDDEN, "workspace is paused");
        }
        return Caller.workspace(verdict);
    }

    /** As {@link #active}, for what is not the workspace's own: one that nobody admitted is a stranger there. */
    private static Caller admitted(Verdict verdict) {
        if (verdict.standing() == Standing.UNADMITTED) {
            throw ApiError.forbidden("workspace is not admitted");
        }
        return active(verdict);
    }

    /**
     * Any live credential, whoever's; nothing where the door is open.
     *
     * @param about whom is asked about; null for nobody in particular
     */
    private Future<Caller> credential(@Nullable String bearer, Door door, @Nullable UUID about) {
        if (config.isOpen(door)) {
            return Future.succeededFuture(Caller.ANONYMOUS);
        }
        if (isAdmin(bearer)) {
            return Future.succeededFuture(Caller.ADMIN);
        }
        if (bearer == null) {
            return Future.failedFuture(ApiError.unauthenticated("missing auth token"));
        }
        return credentials.verify(bearer, null).compose(verdict -> switch (verdict.holder()) {
            case ORGANISATION -> Future.succeededFuture(Caller.organisation(verdict.organisationTokenPrefix()));
            case WORKSPACE ->
                Future.succeededFuture(
                        about != null && about.equals(verdict.workspaceHolder()) ? active(verdict) : admitted(verdict));
            case SESSION -> Future.succeededFuture(Caller.ADMIN);
            case PERSON -> looking(about, bearer, Objects.requireNonNull(verdict.person()), door);
            case MODEL_KEY, NOBODY -> Future.failedFuture(ApiError.unauthenticated("invalid auth token"));
        });
    }

    /** What is of no workspace in particular anybody may see who has a role anywhere; what is measured of all, those of the organisation. */
    private Future<Caller> looking(@Nullable UUID about, String bearer, Person person, Door door) {
        if (about != null || door == Door.METRICS) {
            return at(about, Credentials.hashOf(bearer), person, Role.VIEWER);
        }
        return person.hasAnyRole()
                ? Future.succeededFuture(Caller.person(person, Role.VIEWER))
                : Future.failedFuture(tooLittle(Role.VIEWER));
    }

    /** Anybody can write any Origin, so that it proves nothing in production. */
    private Future<Caller> canvasOrBearer(@Nullable String bearer, @Nullable String origin) {
        if (config.hatchOpen()) {
            return Future.succeededFuture(Caller.HATCH); // decision 28
        }
        if (isAdmin(bearer)) {
            return Future.succeededFuture(Caller.ADMIN);
        }
        boolean closed = config.environment() == Environment.PRODUCTION;
        return credentials.verify(bearer, null).map(verdict -> {
            if (!verdict.anyLiveToken() && !closed) {
                return Caller.HATCH;
            }
            if (verdict.holder() == Holder.SESSION) {
                return Caller.ADMIN;
            }
            if (verdict.person() != null) {
                return inOrganisation(verdict.person(), Role.OPERATOR);
            }
            if (bearer != null) {
                if (verdict.workspaceHolder() == null) {
                    throw ApiError.unauthenticated("invalid admin auth token");
                }
                return admitted(verdict);
            }
            if (!closed && origin != null && Cors.allowedOrigins(config).contains(origin)) {
                return Caller.ANONYMOUS;
            }
            throw ApiError.unauthenticated("admin auth required");
        });
    }

    private boolean isAdmin(@Nullable String bearer) {
        String adminToken = config.adminToken();
        return bearer != null && adminToken != null && Tokens.same(bearer, adminToken);
    }

    private static @Nullable UUID idOrNull(@Nullable String text) {
        return Ids.find(text).orElse(null);
    }
}
