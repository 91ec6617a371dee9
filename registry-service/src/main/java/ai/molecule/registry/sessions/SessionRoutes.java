package ai.molecule.registry.sessions;

import ai.molecule.common.auth.Caller;
import ai.molecule.common.http.Acting;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.ClientLimit;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.http.SessionCookie;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.time.Instant;
import java.util.Optional;

/**
 * The HTTP face of {@link SessionService}.
 *
 * @param tries how many exchanges a client may try
 */
public record SessionRoutes(SessionService sessions, SessionCookie cookie, ClientLimit tries, Acting acting) {

    /** {@code {"required", "signed_in"[, "expires_at"]}}: whether a page must sign in here, and whether this one has. */
    public void show(RoutingContext ctx) {
        ctx.response().putHeader("Cache-Control", "no-store");
        var token = cookie.of(ctx.request());
        var expiry =
                token.isEmpty() ? Future.succeededFuture(Optional.<Instant>empty()) : sessions.expiryOf(token.get());
        Answers.json(ctx, expiry.map(until -> {
            var body = Json.object().put("required", cookie.counts()).put("signed_in", until.isPresent());
            until.ifPresent(end -> body.put("expires_at", Json.time(end)));
            return body;
        }));
    }

    /** {@code {"token"}}, the {@code ADMIN_TOKEN} → 201 with the cookie. */
    public void open(RoutingContext ctx) {
        ctx.response().putHeader("Cache-Control", "no-store");
        acting.as(
                ctx, Caller.ADMIN); // without the token nothing is changed that could be recorded as an administrator's
        String shown = JsonBody.of(ctx, "invalid request body").text("token", "");
        Answers.json(
                ctx,
                201,
                tries.admit(ctx).compose(admitted -> sessions.open(shown)).map(opened -> {
                    ctx.response().addCookie(cookie.holding(opened.token(), SessionService.LIFE, ctx.request()));
                    return Json.object().put("status", "signed in").put("expires_at", Json.time(opened.expiresAt()));
                }));
    }

    /** Ends the session of the cookie, if there is one, and takes the cookie back. */
    public void end(RoutingContext ctx) {
        acting.as(ctx, Caller.ADMIN);
        var token = cookie.of(ctx.request());
        Future<Void> ended = token.isEmpty() ? Future.succeededFuture() : sessions.end(token.get());
        Answers.json(ctx, ended.map(done -> signedOut(ctx)));
    }

    private ObjectNode signedOut(RoutingContext ctx) {
        ctx.response().addCookie(cookie.over(ctx.request()));
        return Json.object().put("status", "signed out");
    }
}
