package ai.molecule.registry.passports;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.registry.passports.Revocation.Kind;
import io.vertx.ext.web.RoutingContext;

/** {@code /passports/revocations}. */
public record RevocationRoutes(Passports passports) {

    private static final int VALUE_MAX_CHARS = 200;
    private static final int REASON_MAX_CHARS = 500;

    /** {@code {"kind", "value"[, "reason"]}} → 201 the revocation. Of a passport the value is its id, or itself. */
    public void revoke(RoutingContext ctx) {
        var body = JsonBody.of(ctx, "invalid request body");
        var kind = Kind.find(body.requiredText("kind"))
                .orElseThrow(() -> ApiError.invalid("kind must be passport, work or principal"));
        String said = body.requiredText("value").strip();
        String value =
                switch (kind) {
                    case PASSPORT ->
                        Ids.find(said)
                                .orElseGet(() -> passports.read(said).id())
                                .toString();
                    case WORK ->
                        Ids.find(said)
                                .orElseThrow(() -> ApiError.invalid("value must be the id of a work"))
                                .toString();
                    case PRINCIPAL -> named(said);
                };
        String reason = body.text("reason", "");
        if (reason.length() > REASON_MAX_CHARS) {
            throw ApiError.invalid("reason must be at most %d characters".formatted(REASON_MAX_CHARS));
        }
        Answers.json(
                ctx,
                201,
                passports
                        .revoke(kind, value, reason, Caller.of(ctx).credential())
                        .map(Revocation::toJson));
    }

    /** An array, the newest first, at most 200. */
    public void list(RoutingContext ctx) {
        Answers.json(ctx, passports.revocations().map(all -> Answers.array(all, Revocation::toJson)));
    }

    private static String named(String said) {
        if (said.isEmpty() || said.length() > VALUE_MAX_CHARS) {
            throw ApiError.invalid(
                    "value must be who began them, as in person:kim, at most %d characters".formatted(VALUE_MAX_CHARS));
        }
        return said;
    }
}
