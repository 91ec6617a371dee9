package ai.molecule.registry.keys;

import ai.molecule.common.ApiError;
import ai.molecule.common.http.Answers;
import io.vertx.ext.web.RoutingContext;

/** {@code GET /.well-known/jwks.json} and {@code POST /admin/keys/rotate}. */
public record KeyRoutes(OrganisationKeys keys) {

    /** {@code {"keys": [JWK], "retired": [JWK]}}; 304 for its {@code ETag}. */
    public void publish(RoutingContext ctx) {
        var published = keys.published();
        String etag = '"' + published.etag() + '"';
        ctx.response()
                .putHeader("Cache-Control", "public, max-age=" + OrganisationKeys.PUBLISHED_MAX_AGE.toSeconds())
                .putHeader("ETag", etag);
        if (etag.equals(ctx.request().getHeader("If-None-Match"))) {
            ctx.response().setStatusCode(304).end();
        } else {
            Answers.bytes(ctx, 200, published.body());
        }
    }

    /** {@code ?at_once=1} for a key that somebody else may have; {@code {"kid", "signs_from", "retires_at"}}. */
    public void rotate(RoutingContext ctx) {
        String atOnce = ctx.request().getParam("at_once", "0");
        if (!atOnce.equals("0") && !atOnce.equals("1")) {
            throw ApiError.invalid("at_once must be 1 or 0");
        }
        Answers.json(ctx, keys.rotate(atOnce.equals("1")));
    }
}
