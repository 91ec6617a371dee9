package ai.molecule.registry.liveness;

import ai.molecule.common.redis.RedisStore;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Expired liveness keys, as a poke for the sweep: they speed it up and prove nothing (decision 2). */
public record ExpiryNotifications(RedisStore redis) {

    private static final Logger LOGGER = LoggerFactory.getLogger(ExpiryNotifications.class);

    private static final String SETTING = "notify-keyspace-events";
    private static final Pattern LIVENESS_KEY = Pattern.compile("ws:[^:]+");

    /** Switches them on where the server lets us, and calls {@code poke} for each. Never fails. */
    public Future<Void> listen(Runnable poke) {
        if (!redis.isPresent()) {
            return Future.succeededFuture();
        }
        redis.subscribe("__keyevent@*__:expired", key -> {
            if (LIVENESS_KEY.matcher(key).matches()) {
                poke.run();
            }
        });
        return switchOn().recover(refused -> {
            LOGGER.atWarn().setCause(refused).log("keyspace notifications are off; the liveness timer does without");
            return Future.succeededFuture();
        });
    }

    private Future<Void> switchOn() {
        return redis.send(Request.cmd(Command.CONFIG).arg("GET").arg(SETTING)).compose(answer -> {
            String flags = flagsIn(answer);
            boolean on = flags.contains("E") && (flags.contains("x") || flags.contains("A"));
            return on
                    ? Future.succeededFuture()
                    : redis.send(Request.cmd(Command.CONFIG)
                                    .arg("SET")
                                    .arg(SETTING)
                                    .arg(flags + "Ex"))
                            .mapEmpty();
        });
    }

    /** A map from a server that speaks RESP3, a list of name and value from an older one. */
    private static String flagsIn(@Nullable Response answer) {
        if (answer == null || answer.size() == 0) {
            return "";
        }
        return String.valueOf(answer.isMap() ? answer.get(SETTING) : answer.get(1));
    }
}
