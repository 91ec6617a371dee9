package ai.molecule.common.http;

import io.vertx.core.Handler;
import io.vertx.ext.web.RoutingContext;
import java.util.UUID;
import java.util.regex.Pattern;

/** Gives every request an id that the log, the answer and the services behind the front door share. */
public final class RequestId implements Handler<RoutingContext> {

    public static final String HEADER = "X-Request-Id";

    private static final String KEY = RequestId.class.getName();
    private static final Pattern ACCEPTABLE = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    @Override
    public void handle(RoutingContext ctx) {
        String sent = ctx.request().getHeader(HEADER);
        String id = sent != null && ACCEPTABLE.matcher(sent).matches()
                ? sent
                : UUID.randomUUID().toString();
        ctx.put(KEY, id);
        ctx.response().putHeader(HEADER, id);
        ctx.next();
    }

    public static String of(RoutingContext ctx) {
        return ctx.get(KEY, "");
    }
}
