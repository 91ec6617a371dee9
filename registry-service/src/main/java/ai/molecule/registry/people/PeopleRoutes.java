package ai.molecule.registry.people;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Bearer;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.auth.Person;
import ai.molecule.common.auth.Role;
import ai.molecule.common.http.Acting;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.ClientLimit;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.http.SessionCookie;
import ai.molecule.common.json.Json;
import ai.molecule.common.workspaces.TenantName;
import ai.molecule.registry.people.Account.Grant;
import ai.molecule.registry.people.PeopleService.Linked;
import ai.molecule.registry.people.PeopleService.Minted;
import ai.molecule.registry.sessions.SessionRoutes;
import ai.molecule.registry.workspaces.FieldRules;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * {@code /people}.
 *
 * @param sessions opens one for whoever comes by a link
 * @param tries how many links and old passwords a client may try
 * @param externalUrl where people reach the platform; null takes the request's
 */
public record PeopleRoutes(
        PeopleService people,
        SessionRoutes sessions,
        SessionCookie cookie,
        Guards guards,
        Acting acting,
        ClientLimit tries,
        @Nullable String externalUrl) {

    private static final String COMPLAINT = "invalid request body";
    private static final int ROLES_MAX = 50;
    private static final int TOKEN_NAME_MAX_BYTES = 100;
    private static final int TOKEN_DAYS = 90;
    private static final int TOKEN_DAYS_MAX = 365;

    /** {@code {"people": […], "count"}}, by name. */
    public void list(RoutingContext ctx) {
        Answers.json(ctx, people.list().map(found -> Answers.listing("people", found, Account::toJson)));
    }

    /** {@code {"login"[, "name"][, "role", "branch" or "tenant"] or "roles"}} → 201 the person with a link, shown this once. Not by a person's token. */
    public void invite(RoutingContext ctx) {
        Caller.of(ctx).refusePersonToken();
        var body = JsonBody.of(ctx, COMPLAINT);
        String login = Account.login(body.requiredText("login"));
        String name = Account.name(body.text("name", login));
        var roles = rolesOf(body);
        if (roles.isEmpty()) {
            throw ApiError.invalid("role must be viewer, operator or owner");
        }
        Answers.json(
                ctx,
                201,
                people.invite(login, name, roles)
                        .map(invited -> linked(ctx, invited.account().toJson(), invited.link(), "")));
    }

    /** 201 with the link of whoever becomes the first owner; 409 when there is one. */
    public void linkForFirstOwner(RoutingContext ctx) {
        Answers.json(ctx, 201, people.linkForFirstOwner().map(link -> linked(ctx, Json.object(), link, "&first")));
    }

    /** 201 with a new link: for whoever lost the first one, or forgot a password. Not by a person's token. */
    public void link(RoutingContext ctx) {
        Caller.of(ctx).refusePersonToken();
        Answers.json(ctx, 201, people.link(idOf(ctx)).map(link -> linked(ctx, Json.object(), link, "")));
    }

    /** @param more what the page is to know of it besides */
    private ObjectNode linked(RoutingContext ctx, ObjectNode body, Linked linked, String more) {
        ctx.response().putHeader("Cache-Control", "no-store");
        // behind a # it reaches no server's log, and no other page
        String origin = externalUrl == null ? acting.edge().originOf(ctx.request()) : externalUrl;
        return body.put("link", origin + "/ui#link=" + linked.link() + more)
                .put("link_expires_at", Json.time(linked.expiresAt()));
    }

    /** {@code {"link", "password"[, "login", "name"]}} → 201, signed in. */
    public void accept(RoutingContext ctx) {
        ctx.response().putHeader("Cache-Control", "no-store");
        var body = JsonBody.of(ctx, COMPLAINT);
        cookie.requireOwn(ctx.request());
        String link = body.requiredText("link");
        String password = body.requiredText("password");
        String login = body.text("login");
        acting.asPerson(ctx, login == null ? "by a link" : Account.login(login));
        Answers.json(
                ctx,
                201,
                tries.admit(ctx)
                        .compose(admitted -> people.accept(link, login, body.text("name"), password))
                        .compose(account -> sessions.openByPassword(ctx, account)));
    }

    /** {@code {[, "name"][, "roles"][, "disabled"]}} → the person. A person's token neither gives roles nor enables anybody. */
    public void change(RoutingContext ctx) {
        var body = JsonBody.of(ctx, COMPLAINT);
        String given = body.text("name");
        String name = given == null ? null : Account.name(given);
        var roles = body.has("roles") || body.has("role") ? rolesOf(body) : null;
        @Nullable Boolean disabled = body.has("disabled") ? body.flag("disabled", false) : null;
        if (roles != null || Boolean.FALSE.equals(disabled)) {
            Caller.of(ctx).refusePersonToken();
        }
        Answers.json(
                ctx,
                people.change(
                                idOf(ctx),
                                before -> new Account(
                                        before.id(),
                                        before.login(),
                                        name == null ? before.name() : name,
                                        before.passwordHash(),
                                        before.identity(),
                                        disabled == null ? before.disabled() : disabled,
                                        before.createdAt(),
                                        before.signedInAt(),
                                        roles == null ? before.roles() : roles))
                        .map(Account::toJson));
    }

    public void remove(RoutingContext ctx) {
        Answers.json(ctx, people.remove(idOf(ctx)).map(done -> Json.object().put("status", "removed")));
    }

    /** The person, with what it came, {@code "credential"}, and what that opens of the organisation, {@code "opens"}, if anything. */
    public void me(RoutingContext ctx) {
        var person = whoAsks(ctx);
        Answers.json(ctx, people.get(person.id()).map(account -> {
            var body = account.toJson().put("credential", person.credential());
            var opens = person.organisation();
            return opens == null ? body : body.put("opens", opens.wire());
        }));
    }

    /** {@code {"old", "new"[, "revoke_tokens"]}} → {@code {"status", "tokens"}}: all sessions end, this one too, and that many tokens stay. */
    public void changePassword(RoutingContext ctx) {
        var person = atThePage(ctx);
        var body = JsonBody.of(ctx, COMPLAINT);
        String old = body.requiredText("old");
        String fresh = body.requiredText("new");
        boolean tokensToo = body.flag("revoke_tokens", false);
        Answers.json(
                ctx,
                tries.admit(ctx)
                        .compose(admitted -> people.changePassword(person.id(), old, fresh, tokensToo))
                        .compose(tokens ->
                                sessions.rememberBrowser(ctx, person.id()).map(tokens))
                        .map(tokens -> Json.object().put("status", "changed").put("tokens", tokens)));
    }

    /** {@code {"tokens": […], "count"}}: one's own. */
    public void tokens(RoutingContext ctx) {
        tokensOf(ctx, whoAsks(ctx).id());
    }

    /** For owners, of whomever. */
    public void tokensOfPerson(RoutingContext ctx) {
        tokensOf(ctx, idOf(ctx));
    }

    private void tokensOf(RoutingContext ctx, UUID person) {
        Answers.json(ctx, people.tokens(person).map(found -> Answers.listing("tokens", found, PersonToken::toJson)));
    }

    /** {@code {"name"[, "role"][, "branch"][, "days"]}} → 201 with the token in clear, this once. */
    public void mint(RoutingContext ctx) {
        var person = atThePage(ctx);
        var body = JsonBody.of(ctx, COMPLAINT);
        var wanted = WantedToken.of(body);
        ctx.response().putHeader("Cache-Control", "no-store");
        Answers.json(
                ctx,
                201,
                wanted.within(guards, Bearer.of(ctx.request()))
                        .compose(may -> people.mint(person.id(), wanted.name, wanted.role, wanted.branch, wanted.life))
                        .map(PeopleRoutes::minted));
    }

    /**
     * What a token is to open.
     *
     * @param branch null for wherever the person has a role
     */
    public record WantedToken(
            String name, Role role, @Nullable UUID branch, Duration life) {

        public static WantedToken of(JsonBody body) {
            String name = body.requiredText("name").strip();
            FieldRules.checkShown("name", name, TOKEN_NAME_MAX_BYTES);
            return of(body, name);
        }

        /** Under a name that was said elsewhere. */
        public static WantedToken of(JsonBody body, String name) {
            var role = Role.find(body.text("role", Role.VIEWER.wire())).orElseThrow(PeopleRoutes::wrongRole);
            long days = body.integer("days", TOKEN_DAYS);
            if (days < 1 || days > TOKEN_DAYS_MAX) {
                throw ApiError.invalid("days must be between 1 and %d".formatted(TOKEN_DAYS_MAX));
            }
            return new WantedToken(name, role, branchOf(body.text("branch")), Duration.ofDays(days));
        }

        /** Fails with FORBIDDEN or NOT_FOUND where whoever asks may less itself. */
        public Future<?> within(Guards guards, @Nullable String bearer) {
            if (branch != null) {
                return guards.workspace(bearer, branch, role);
            }
            return guards.person(bearer).map(caller -> {
                var person = Objects.requireNonNull(caller.person());
                boolean may = person.organisation() == null
                        ? role != Role.OWNER && person.hasAnyRole() // narrowed to what it is, wherever that is
                        : person.organisation().covers(role);
                if (!may) {
                    throw ApiError.forbidden("a token opens no more than whoever makes it may");
                }
                return caller;
            });
        }
    }

    private static ObjectNode minted(Minted minted) {
        return minted.description()
                .toJson()
                .put("auth_token", minted.token())
                .put("warning", "copy this token now; it will not be shown again");
    }

    /** One of one's own, or with {@code current} the one that is shown. */
    public void revoke(RoutingContext ctx) {
        var person = whoAsks(ctx);
        String shown = Bearer.of(ctx.request());
        if (Objects.equals(ctx.pathParam("tokenId"), "current") && shown != null && !person.bySession()) {
            Answers.json(
                    ctx, people.revokeShown(shown).map(done -> Json.object().put("status", "revoked")));
            return;
        }
        revoke(ctx, atThePage(ctx).id());
    }

    /** For owners, of whomever. */
    public void revokeOfPerson(RoutingContext ctx) {
        revoke(ctx, idOf(ctx));
    }

    private void revoke(RoutingContext ctx, UUID person) {
        var id = Ids.find(ctx.pathParam("tokenId"))
                .orElseThrow(() -> ApiError.notFound("token not found or already revoked"));
        Answers.json(ctx, people.revoke(person, id).map(done -> Json.object().put("revoked", id.toString())));
    }

    private static Person whoAsks(RoutingContext ctx) {
        return Objects.requireNonNull(Caller.of(ctx).person());
    }

    /** A token makes no tokens, and changes no password: it would outlive its own end. */
    public static Person atThePage(RoutingContext ctx) {
        var person = whoAsks(ctx);
        if (!person.bySession()) {
            throw ApiError.forbidden("this asks for somebody who signed in at the page, not for a token");
        }
        return person;
    }

    private static UUID idOf(RoutingContext ctx) {
        return Ids.find(ctx.pathParam("id")).orElseThrow(PgPeopleStore::nobody);
    }

    private static List<Grant> rolesOf(JsonBody body) {
        var roles = new ArrayList<Grant>();
        if (body.has("role")) {
            roles.add(grant(body.text("branch"), body.text("tenant"), body.requiredText("role")));
        }
        var listed = body.node("roles");
        if (listed != null) {
            if (!listed.isArray() || listed.size() > ROLES_MAX) {
                throw ApiError.invalid("roles must be an array of at most %d".formatted(ROLES_MAX));
            }
            listed.forEach(one -> roles.add(grantOf(one)));
        }
        if (roles.stream().map(PeopleRoutes::placeOf).distinct().count() < roles.size()) {
            throw ApiError.invalid("roles must not name a branch or a tenant twice");
        }
        return List.copyOf(roles);
    }

    private static List<@Nullable Object> placeOf(Grant grant) {
        return Arrays.asList(grant.branch(), grant.tenant());
    }

    private static Grant grantOf(JsonNode one) {
        return grant(
                textOf(one.path("branch")),
                textOf(one.path("tenant")),
                one.path("role").asText());
    }

    private static @Nullable String textOf(JsonNode node) {
        return node.isMissingNode() || node.isNull() ? null : node.asText();
    }

    private static Grant grant(@Nullable String branch, @Nullable String tenant, String role) {
        if (branch != null && !branch.isEmpty() && tenant != null) {
            throw ApiError.invalid("a role is for a branch or for a tenant");
        }
        return new Grant(
                branchOf(branch),
                tenant == null ? null : TenantName.checked(tenant),
                Role.find(role).orElseThrow(PeopleRoutes::wrongRole));
    }

    private static @Nullable UUID branchOf(@Nullable String text) {
        return text == null || text.isEmpty()
                ? null
                : Ids.find(text).orElseThrow(() -> ApiError.invalid("branch must be the id of a workspace"));
    }

    private static ApiError wrongRole() {
        return ApiError.invalid("role must be viewer, operator or owner");
    }
}
