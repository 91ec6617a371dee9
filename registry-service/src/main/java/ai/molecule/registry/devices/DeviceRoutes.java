package ai.molecule.registry.devices;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Bearer;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.http.Acting;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.ClientLimit;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.json.Json;
import ai.molecule.registry.devices.PgDeviceStore.Outcome;
import ai.molecule.registry.people.PeopleRoutes;
import ai.molecule.registry.people.PeopleRoutes.WantedToken;
import ai.molecule.registry.people.PeopleService;
import ai.molecule.registry.workspaces.FieldRules;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code /device}, as RFC 8628 has it; requests may be forms, as there, or JSON.
 *
 * @param begins how many a client may begin
 * @param tries how many codes a client may try
 * @param externalUrl where people reach the platform; null takes the request's
 */
public record DeviceRoutes(
        DeviceService devices,
        Guards guards,
        Acting acting,
        ClientLimit begins,
        ClientLimit tries,
        @Nullable String externalUrl) {

    private static final String COMPLAINT = "invalid request body";
    private static final String GRANT = "urn:ietf:params:oauth:grant-type:device_code";
    private static final int NAME_MAX_BYTES = 100;

    /** {@code client_id}, what the program calls itself → the codes. */
    public void begin(RoutingContext ctx) {
        ctx.response().putHeader("Cache-Control", "no-store");
        String name = member(ctx, "client_id");
        if (name == null || name.isBlank()) {
            throw ApiError.invalid("invalid_request");
        }
        FieldRules.checkShown("client_id", name, NAME_MAX_BYTES);
        String address = acting.edge().clientOf(ctx.request());
        String network = acting.edge().siteOf(ctx.request());
        String origin = externalUrl == null ? acting.edge().originOf(ctx.request()) : externalUrl;
        Answers.json(
                ctx,
                begins.admit(ctx)
                        .compose(admitted -> devices.begin(name.strip(), address, network))
                        .map(begun -> {
                            String page = origin + "/ui#device";
                            return Json.object()
                                    .put("device_code", begun.deviceCode())
                                    .put("user_code", begun.userCode())
                                    .put("verification_uri", page)
                                    .put("verification_uri_complete", page + "=" + begun.userCode())
                                    .put("expires_in", DeviceService.LIFE.toSeconds())
                                    .put("interval", DeviceService.PACE.toSeconds());
                        }));
    }

    /** {@code grant_type}, {@code device_code} → the token, or 400 with the word that says why not yet. */
    public void token(RoutingContext ctx) {
        ctx.response().putHeader("Cache-Control", "no-store");
        String grant = member(ctx, "grant_type");
        String code = member(ctx, "device_code");
        if (!GRANT.equals(grant)) {
            throw ApiError.invalid("unsupported_grant_type");
        }
        if (code == null || code.isEmpty()) {
            throw ApiError.invalid("invalid_request");
        }
        Answers.json(ctx, devices.ask(code).map(DeviceRoutes::answer));
    }

    private static ObjectNode answer(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Unknown unknown -> throw ApiError.invalid("expired_token");
            case Outcome.Pending pending -> throw ApiError.invalid("authorization_pending");
            case Outcome.TooSoon soon -> throw ApiError.invalid("slow_down");
            case Outcome.Denied denied -> throw ApiError.invalid("access_denied");
            case Outcome.Allowed allowed -> granted(allowed.minted());
        };
    }

    private static ObjectNode granted(PeopleService.Minted minted) {
        var described = minted.description();
        return Json.object()
                .put("access_token", minted.token())
                .put("token_type", "Bearer")
                .put(
                        "expires_in",
                        Duration.between(described.createdAt(), described.expiresAt())
                                .toSeconds())
                .put("scope", described.role().wire());
    }

    /** {@code {"name", "address", "created_at"}} of what waits with that code. */
    public void show(RoutingContext ctx) {
        String code = ctx.pathParam("code");
        Answers.json(
                ctx,
                tries.admit(ctx)
                        .compose(admitted -> devices.get(code))
                        .map(waiting -> Json.object()
                                .put("name", waiting.name())
                                .put("address", waiting.address())
                                .put("created_at", Json.time(waiting.createdAt()))));
    }

    /** {@code {"allow"[, "role"][, "branch"][, "days"]}}. */
    public void decide(RoutingContext ctx) {
        var person = PeopleRoutes.atThePage(ctx);
        var body = JsonBody.of(ctx, COMPLAINT);
        String code = ctx.pathParam("code");
        if (!body.has("allow")) {
            throw body.bad();
        }
        boolean allows = body.flag("allow", false);
        var wanted = allows ? WantedToken.of(body, "device") : null;
        Future<Void> decided = wanted == null
                ? tries.admit(ctx).compose(admitted -> devices.deny(code, person.id()))
                : tries.admit(ctx)
                        .compose(admitted -> wanted.within(guards, Bearer.of(ctx.request())))
                        .compose(
                                may -> devices.allow(code, person.id(), wanted.role(), wanted.branch(), wanted.life()));
        Answers.json(ctx, decided.map(done -> Json.object().put("status", allows ? "allowed" : "denied")));
    }

    private static @Nullable String member(RoutingContext ctx, String name) {
        var buffer = ctx.body().buffer();
        if (buffer != null && buffer.length() > 0 && buffer.getByte(0) != '{') {
            var form = new QueryStringDecoder(buffer.toString(StandardCharsets.UTF_8), false).parameters();
            return form.getOrDefault(name, List.of()).stream().findFirst().orElse(null);
        }
        return JsonBody.of(ctx, COMPLAINT).text(name);
    }
}
