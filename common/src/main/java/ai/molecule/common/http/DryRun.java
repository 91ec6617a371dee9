package ai.molecule.common.http;

import ai.molecule.common.ApiError;
import io.vertx.ext.web.RoutingContext;

/** {@code ?dry_run=1}: say what would be done, and do nothing. */
public final class DryRun {

    private DryRun() {}

    /** Fails with INVALID for what is neither yes nor no, so that nothing is done by a slip of the pen. */
    public static boolean isAsked(RoutingContext ctx) {
        return switch (ctx.request().getParam("dry_run")) {
            case null -> false;
            case "0", "false" -> false;
            case "", "1", "true" -> true;
            default -> throw ApiError.invalid("dry_run must be 1 or 0");
        };
    }
}
