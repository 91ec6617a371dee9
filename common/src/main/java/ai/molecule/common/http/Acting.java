package ai.molecule.common.http;

import ai.molecule.common.ApiError;
import ai.molecule.common.audit.Actor;
import ai.molecule.common.audit.Refusals;
import ai.molecule.common.auth.Bearer;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.auth.Tokens;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.RoutingContext;
import java.util.HexFormat;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Has the changes that a request makes recorded as those of whom its guard let in. */
public record Acting(Edge edge) {

    private static final Set<HttpMethod> READING = Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS);

    private static final int SHOWN_OF_HASH = 4;

    /** What only reads has nobody to be recorded. */
    void began(RoutingContext ctx, Caller caller) {
        if (!READING.contains(ctx.request().method())) {
            as(ctx, caller);
        }
    }

    /** For a handler whose reading is recorded too. */
    public void as(RoutingContext ctx, Caller caller) {
        whois(ctx, caller).acts();
    }

    /** For the registration of an agent, which is let in by what it says as much as by what it shows. */
    public void asRegistering(RoutingContext ctx, UUID workspaceId) {
        of(ctx, "registration", workspaceId.toString(), null).acts();
    }

    /** For somebody who has just proven to be that person, and has no credential yet. */
    public void asPerson(RoutingContext ctx, String login) {
        of(ctx, "person", login, null).acts();
    }

    /** Who that is, with nothing that opens anything. */
    public Actor whois(RoutingContext ctx, Caller caller) {
        String bearer = Bearer.of(ctx.request());
        return switch (caller.kind()) {
            case ADMIN -> {
                var cookie = ctx.request().getCookie(SessionCookie.NAME);
                yield bearer != null && cookie != null && bearer.startsWith(SessionCookie.joined(cookie.getValue(), ""))
                        ? of(ctx, "administrator", "session", "session:" + shown(bearer))
                        : of(ctx, "administrator", caller.credential(), caller.credential());
            }
            case ORGANISATION -> of(ctx, "organisation", caller.credential(), caller.credential());
            case WORKSPACE ->
                of(
                        ctx,
                        "workspace",
                        String.valueOf(caller.workspaceId()),
                        bearer == null ? null : "token:" + Tokens.prefix(bearer));
            case PERSON -> {
                var person = Objects.requireNonNull(caller.person());
                yield of(ctx, "person", person.login(), person.credential());
            }
            case HATCH, ANONYMOUS -> of(ctx, "anyone", "anyone", null);
        };
    }

    /** For the record of refusals; who it was may be known all the same. */
    Refusals.Refused refused(RoutingContext ctx, ApiError error) {
        return new Refusals.Refused(
                error.kind().status(),
                AccessLog.operationOf(ctx),
                error.publicMessage(),
                Ids.find(ctx.pathParam("id")).orElse(null),
                whois(ctx, Caller.of(ctx)));
    }

    private Actor of(RoutingContext ctx, String kind, String name, @Nullable String credential) {
        return Actor.of(kind, name, credential, edge.clientOf(ctx.request()), RequestId.of(ctx));
    }

    /** As the record shows sessions: the beginning of the hash. */
    private static String shown(String bearer) {
        return HexFormat.of().formatHex(Tokens.hash(bearer), 0, SHOWN_OF_HASH);
    }
}
