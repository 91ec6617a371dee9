package ai.molecule.registry.sessions;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.auth.Person;
import ai.molecule.common.http.Acting;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.ClientLimit;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.http.SessionCookie;
import ai.molecule.common.json.Json;
import ai.molecule.common.redis.FixedWindow;
import ai.molecule.registry.people.Account;
import ai.molecule.registry.people.PeopleService;
import ai.molecule.registry.sessions.SessionService.Held;
import ai.molecule.registry.sessions.SessionService.Opened;
import ai.molecule.registry.sessions.SessionService.Sitting;
import ai.molecule.registry.signins.SignInService;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP face of {@link SessionService}: how people at a page sign in and out.
 *
 * @param tries how many exchanges a client may try
 * @param perLogin how many wrong passwords an account may be tried with from wherever, and as many from a browser that signed in to it before
 */
public record SessionRoutes(
        SessionService sessions,
        PeopleService people,
        SignInService signIns,
        SessionCookie cookie,
        ClientLimit tries,
        FixedWindow perLogin,
        Acting acting) {

    private static final String COMPLAINT = "invalid request body";
    private static final int AGENT_MAX_CHARS = 200;

    /** Goes to the sign-in alone. Cookies are sent in the order of their names, and clients take the first of a sign-in for the session's. */
    private static final String BROWSER = "molecule_signed_in_before";

    private static final String BROWSER_PATH = "/session";
    private static final Duration BROWSER_LIFE = Duration.ofDays(180);

    /**
     * {@code {"required", "signed_in"[, "expires_at"][, "person"][, "ways"]}}: whether a page must sign in here, whether this one has and as
     * whom, and how people do.
     */
    public void show(RoutingContext ctx) {
        ctx.response().putHeader("Cache-Control", "no-store");
        var token = cookie.of(ctx.request());
        var held = token.isEmpty() ? Future.succeededFuture(Optional.<Held>empty()) : sessions.find(token.get());
        Answers.json(ctx, held.compose(found -> shown(found).compose(body -> withWays(body))));
    }

    private Future<ObjectNode> shown(Optional<Held> found) {
        var body = Json.object().put("required", cookie.counts()).put("signed_in", found.isPresent());
        found.ifPresent(held -> body.put("expires_at", Json.time(held.expiresAt())));
        var person = found.map(Held::person).orElse(null);
        return person == null
                ? Future.succeededFuture(body)
                : people.get(person).map(account -> body.set("person", account.toJson()));
    }

    /** Only where there are people or providers: else an administrator's token is the one way, as ever. */
    private Future<ObjectNode> withWays(ObjectNode body) {
        if (!cookie.counts()) {
            return Future.succeededFuture(body);
        }
        return people.hasAny().map(any -> {
            if (any || !signIns.providers().isEmpty()) {
                var ways = body.putObject("ways").put("password", any);
                ways.set(
                        "providers",
                        Answers.array(
                                signIns.providers(),
                                provider ->
                                        Json.object().put("id", provider.id()).put("name", provider.name())));
            }
            return body;
        });
    }

    /** {@code {"token"}}, the {@code ADMIN_TOKEN}, or {@code {"login", "password"}} → 201 with the cookie and {@code "csrf_token"}, the two halves of the session. */
    public void open(RoutingContext ctx) {
        ctx.response().putHeader("Cache-Control", "no-store");
        var body = JsonBody.of(ctx, COMPLAINT);
        cookie.requireOwn(ctx.request());
        Answers.json(
                ctx,
                201,
                tries.admit(ctx).compose(admitted -> body.has("login") ? byName(ctx, body) : byToken(ctx, body)));
    }

    private Future<ObjectNode> byToken(RoutingContext ctx, JsonBody body) {
        acting.as(
                ctx, Caller.ADMIN); // without the token nothing is changed that could be recorded as an administrator's
        return endBefore(ctx)
                .compose(ended -> sessions.open(body.text("token", "")))
                .map(opened -> opened(ctx, opened));
    }

    private Future<ObjectNode> byName(RoutingContext ctx, JsonBody body) {
        String password = body.requiredText("password");
        String login = Account.login(body.requiredText("login"));
        return people.browser(login, browserOf(ctx))
                .map(known -> known.map(id -> login + " " + id).orElse(login)) // no login has a blank
                .compose(counter -> perLogin.look(counter)
                        .compose(count -> count.exhausted()
                                ? Future.failedFuture(new ApiError(
                                        ApiError.Kind.RATE_LIMITED,
                                        "too many passwords were tried",
                                        Map.of("retry_after", count.resetSeconds())))
                                : people.signIn(login, password))
                        .recover(failure ->
                                failure instanceof ApiError error && error.kind() == ApiError.Kind.UNAUTHENTICATED
                                        ? perLogin.count(counter).compose(counted -> Future.failedFuture(failure))
                                        : Future.failedFuture(failure)))
                .compose(account -> openByPassword(ctx, account));
    }

    private static @Nullable String browserOf(RoutingContext ctx) {
        var known = ctx.request().getCookie(BROWSER);
        return known == null ? null : known.getValue();
    }

    /** A session of a person who signs in with a password, in a browser that is known by a cookie from then on. */
    public Future<ObjectNode> openByPassword(RoutingContext ctx, Account account) {
        return open(ctx, account)
                .compose(opened -> rememberBrowser(ctx, account.id()).map(opened));
    }

    /** Has this browser known as one that signed in with the account's present password. */
    public Future<Void> rememberBrowser(RoutingContext ctx, UUID person) {
        return people.cookieOfBrowser(person).map(made -> {
            made.ifPresent(value -> ctx.response()
                    .addCookie(cookie.like(BROWSER, value, BROWSER_LIFE, ctx.request())
                            .setPath(BROWSER_PATH)));
            return null;
        });
    }

    private Future<ObjectNode> open(RoutingContext ctx, Account account) {
        return open(ctx, account, null, null, null, null);
    }

    /**
     * A session of the person's, and its cookie; what was signed in here before is over.
     *
     * @param proof what the page keeps already; null for a new one
     */
    public Future<ObjectNode> open(
            RoutingContext ctx,
            Account account,
            @Nullable String proof,
            @Nullable String provider,
            @Nullable String idToken,
            @Nullable String providerSession) {
        acting.asPerson(ctx, account.login());
        String agent = ctx.request().getHeader("User-Agent");
        var sitting = new Sitting(
                acting.edge().clientOf(ctx.request()),
                agent == null ? null : agent.substring(0, Math.min(AGENT_MAX_CHARS, agent.length())),
                proof,
                provider,
                idToken,
                providerSession);
        return endBefore(ctx)
                .compose(ended -> sessions.openFor(account.id(), sitting))
                .compose(opened -> people.signedIn(account.id()).map(opened))
                .map(opened -> opened(ctx, opened).set("person", account.toJson()));
    }

    /** Ends what came from there; false for a token that told it before. */
    public Future<Boolean> endedAt(ProviderLogout logout) {
        return sessions.endedAt(logout);
    }

    private Future<Void> endBefore(RoutingContext ctx) {
        var before = cookie.of(ctx.request());
        return before.isEmpty() ? Future.succeededFuture() : sessions.end(before.get());
    }

    private ObjectNode opened(RoutingContext ctx, Opened opened) {
        ctx.response().addCookie(cookie.holding(opened.cookie(), SessionService.LIFE, ctx.request()));
        return Json.object()
                .put("status", "signed in")
                .put("csrf_token", opened.proof())
                .put("expires_at", Json.time(opened.expiresAt()));
    }

    /** Ends the session of cookie and header, if there is one, and takes the cookie back; {@code logout_url} ends that of the provider. */
    public void end(RoutingContext ctx) {
        var token = cookie.of(ctx.request());
        if (token.isEmpty()) {
            Answers.json(ctx, Future.succeededFuture(signedOut(ctx)));
            return;
        }
        Answers.json(
                ctx,
                sessions.find(token.get())
                        .compose(held -> actingAs(ctx, held))
                        .compose(held -> sessions.end(token.get())
                                .compose(ended -> logoutUrl(ctx, held))
                                .map(url -> url.isEmpty()
                                        ? signedOut(ctx)
                                        : signedOut(ctx).put("logout_url", url.get()))));
    }

    private Future<Optional<Held>> actingAs(RoutingContext ctx, Optional<Held> held) {
        var person = held.map(Held::person).orElse(null);
        if (person == null) {
            acting.as(ctx, Caller.ADMIN);
            return Future.succeededFuture(held);
        }
        return people.get(person).map(account -> {
            acting.asPerson(ctx, account.login());
            return held;
        });
    }

    private Future<Optional<String>> logoutUrl(RoutingContext ctx, Optional<Held> held) {
        var provider = held.map(Held::provider).orElse(null);
        return provider == null
                ? Future.succeededFuture(Optional.empty())
                : signIns.logoutUrl(
                        provider,
                        Optional.ofNullable(held.get().idToken()),
                        acting.edge().originOf(ctx.request()));
    }

    /** {@code {"sessions": […], "count"}}: one's own. */
    public void list(RoutingContext ctx) {
        var person = whoAsks(ctx);
        listOf(ctx, person.id(), person.credential());
    }

    /** For owners, of whomever. */
    public void listOfPerson(RoutingContext ctx) {
        listOf(ctx, idOf(ctx), "");
    }

    private void listOf(RoutingContext ctx, UUID person, String asking) {
        Answers.json(
                ctx,
                sessions.list(person)
                        .map(found -> Answers.listing("sessions", found, session -> session.toJson(asking))));
    }

    /** One of one's own. */
    public void endOne(RoutingContext ctx) {
        var id = Ids.find(ctx.pathParam("id")).orElseThrow(() -> ApiError.notFound("session not found"));
        acting.as(ctx, Caller.of(ctx));
        Answers.json(
                ctx,
                sessions.end(whoAsks(ctx).id(), id).map(ended -> Json.object().put("status", "ended")));
    }

    /** For owners: all of a person's. */
    public void endOfPerson(RoutingContext ctx) {
        Answers.json(ctx, sessions.endAll(idOf(ctx)).map(ended -> Json.object().put("status", "ended")));
    }

    private static Person whoAsks(RoutingContext ctx) {
        return Objects.requireNonNull(Caller.of(ctx).person());
    }

    private static UUID idOf(RoutingContext ctx) {
        return Ids.find(ctx.pathParam("id")).orElseThrow(() -> ApiError.notFound("person not found"));
    }

    private ObjectNode signedOut(RoutingContext ctx) {
        ctx.response().addCookie(cookie.over(ctx.request()));
        return Json.object().put("status", "signed out");
    }
}
