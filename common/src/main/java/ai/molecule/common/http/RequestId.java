package ai.molecule.common.http;

import io.vertx.core.Handler;
import io.vertx.ext.web.RoutingContext;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/** Gives every request an id that the log, the answer and the services behind the front door share. */
public final class RequestId implements Handler<RoutingContext> {

    public static final String HEADER = "X-Request-Id";

    private static final String KEY = RequestId.class.getName();
    private static final int LENGTH_MAX = 64;

    @Override
    public void handle(RoutingContext ctx) {
        String sent = ctx.request().getHeader(HEADER);
        String id = sent != null && isAcceptable(sent) ? sent : fresh();
        ctx.put(KEY, id);
        ctx.response().putHeader(HEADER, id);
        ctx.next();
    }

    public static String of(RoutingContext ctx) {
        return ctx.get(KEY, "");
    }

    /** Not a secret: a cheap random number will do. */
    private static String fresh() {
        var random = ThreadLocalRandom.current();
        return new UUID(random.nextLong(), random.nextLong()).toString();
    }

    private static boolean isAcceptable(String id) {
        return !id.isEmpty() && id.length() <= LENGTH_MAX && id.chars().allMatch(RequestId::isAcceptable);
    }

    private static boolean isAcceptable(int c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || c == '.'
                || c == '_'
                || c == '-';
    }
}
