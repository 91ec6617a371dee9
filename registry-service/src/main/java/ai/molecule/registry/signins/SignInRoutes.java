package ai.molecule.registry.signins;

import ai.molecule.common.ApiError;
import ai.molecule.common.http.Acting;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.ClientLimit;
import ai.molecule.common.http.FormBody;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.http.SessionCookie;
import ai.molecule.common.json.Json;
import ai.molecule.registry.sessions.ProviderLogout;
import ai.molecule.registry.sessions.SessionRoutes;
import ai.molecule.registry.signins.SignInService.Answer;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.CookieSameSite;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * {@code /sign-in/:provider}: to the provider's page, and back.
 *
 * @param tries how many a client may begin
 * @param externalUrl where people reach the platform; null takes the request's
 */
public record SignInRoutes(
        SignInService signIns,
        SessionRoutes sessions,
        SessionCookie cookie,
        ClientLimit tries,
        Acting acting,
        @Nullable String externalUrl) {

    private static final String BROWSER = "molecule_sign_in";
    private static final String PATH = "/sign-in/";

    /** {@code {[, "link"]}} → {@code {"url", "csrf_token"}}, the provider's page and what this page keeps of the session that may begin; and a cookie that binds the way back to this browser. */
    public void begin(RoutingContext ctx) {
        ctx.response().putHeader("Cache-Control", "no-store");
        String link = JsonBody.optional(ctx, "invalid request body").text("link");
        cookie.requireOwn(ctx.request());
        String provider = ctx.pathParam("provider");
        Answers.json(
                ctx,
                tries.admit(ctx)
                        .compose(admitted -> signIns.begin(
                                provider,
                                link,
                                redirectUri(ctx, provider),
                                acting.edge().siteOf(ctx.request())))
                        .map(begun -> {
                            ctx.response().addCookie(browser(begun.browser(), SignInService.LIFE, ctx.request()));
                            return Json.object().put("url", begun.url()).put("csrf_token", begun.csrfToken());
                        }));
    }

    /** What the provider sends the browser back with: 303 to the page, signed in or told that it failed. */
    public void end(RoutingContext ctx) {
        ctx.response().putHeader("Cache-Control", "no-store").putHeader("Referrer-Policy", "no-referrer");
        var request = ctx.request();
        String provider = ctx.pathParam("provider");
        var kept = request.getCookie(BROWSER);
        var answer = new Answer(
                request.getParam("code"),
                request.getParam("state"),
                request.getParam("iss"),
                request.getParam("error"),
                kept == null ? null : kept.getValue());
        ctx.response().addCookie(browser("", Duration.ZERO, request));
        acting.asPerson(ctx, "by " + provider); // whom it vouches for is known only then
        tries.admit(ctx)
                .compose(admitted -> signIns.end(provider, answer, redirectUri(ctx, provider)))
                .compose(done -> sessions.open(
                        ctx, done.account(), done.csrfToken(), done.provider().id(), done.idToken(), done.session()))
                .onSuccess(opened -> toThePage(ctx, "/ui"))
                .onFailure(refused -> {
                    if (refused instanceof ApiError error && error.kind().status() < 500) {
                        toThePage(ctx, "/ui#sign-in=refused");
                    } else {
                        ctx.fail(refused);
                    }
                });
    }

    /** {@code logout_token=…} of the provider itself (OpenID Connect Back-Channel Logout 1.0) → {@code {"status":"signed out"}}: that session there, or all of that person, ends here. */
    public void signedOut(RoutingContext ctx) {
        ctx.response().putHeader("Cache-Control", "no-store");
        String provider = ctx.pathParam("provider");
        String shown = FormBody.of(ctx).get("logout_token");
        acting.asPerson(ctx, "by " + provider);
        Answers.json(
                ctx,
                signIns.signedOut(provider, shown)
                        .compose(gone -> sessions.endedAt(new ProviderLogout(
                                gone.provider().id(),
                                gone.provider().issuer(),
                                gone.word().id(),
                                gone.word().subject(),
                                gone.word().session(),
                                gone.word().until())))
                        .map(ended -> {
                            if (!ended) {
                                throw ApiError.invalid(SignInService.INVALID_LOGOUT); // it was shown before
                            }
                            return Json.object().put("status", "signed out");
                        }));
    }

    private static void toThePage(RoutingContext ctx, String place) {
        ctx.response().setStatusCode(303).putHeader("Location", place).end();
    }

    private String redirectUri(RoutingContext ctx, String provider) {
        String origin = externalUrl == null ? acting.edge().originOf(ctx.request()) : externalUrl;
        return origin + PATH + provider + "/callback";
    }

    /** Lax, because the provider's page sends the browser back. */
    private Cookie browser(String value, Duration life, HttpServerRequest request) {
        return cookie.like(BROWSER, value, life, request).setPath(PATH).setSameSite(CookieSameSite.LAX);
    }
}
