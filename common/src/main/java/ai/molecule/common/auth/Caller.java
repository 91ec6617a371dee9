package ai.molecule.common.auth;

import io.vertx.ext.web.RoutingContext;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Who a guard found behind a request.
 *
 * @param workspaceId set for {@link Kind#WORKSPACE}
 * @param organisationTokenPrefix set for {@link Kind#ORGANISATION}
 */
public record Caller(
        Kind kind, @Nullable UUID workspaceId, @Nullable String organisationTokenPrefix) {

    /** HATCH: let in without a credential, by the development hatch or because no token exists yet. */
    public enum Kind {
        ANONYMOUS,
        HATCH,
        ADMIN,
        ORGANISATION,
        WORKSPACE
    }

    public static final Caller ANONYMOUS = new Caller(Kind.ANONYMOUS, null, null);
    public static final Caller HATCH = new Caller(Kind.HATCH, null, null);
    public static final Caller ADMIN = new Caller(Kind.ADMIN, null, null);

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

    public static Caller workspace(UUID id) {
        return new Caller(Kind.WORKSPACE, id, null);
    }

    public static Caller organisation(@Nullable String prefix) {
        return new Caller(Kind.ORGANISATION, null, prefix);
    }
}
