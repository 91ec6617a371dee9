package ai.molecule.provisioner.docker;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the engine answered, whole. */
record EngineAnswer(int status, MultiMap headers, Buffer body) {

    private static final int MESSAGE_MAX = 300;

    boolean isMissing() {
        return status == 404;
    }

    boolean isDone() {
        return status >= 200 && status < 300;
    }

    @Nullable
    String header(String name) {
        return headers.get(name);
    }

    JsonObject object() {
        return body.toJsonObject();
    }

    JsonArray array() {
        return body.toJsonArray();
    }

    /** Fails with {@link Refused} unless it was done, or answered with one of {@code fine}. */
    Future<EngineAnswer> require(Integer... fine) {
        return isDone() || Set.of(fine).contains(status)
                ? Future.succeededFuture(this)
                : Future.failedFuture(new Refused(status, message()));
    }

    /** The engine's own words, on one line and bounded. */
    String message() {
        String text;
        try {
            text = object().getString("message", "");
        } catch (DecodeException | ClassCastException plain) {
            text = body.getString(0, Math.min(body.length(), MESSAGE_MAX));
        }
        return oneLine(text);
    }

    static String oneLine(String text) {
        String line = text.replaceAll("\\p{Cntrl}+", " ").strip();
        return line.length() <= MESSAGE_MAX ? line : line.substring(0, MESSAGE_MAX) + "…";
    }

    /** The engine understood, and does not do it. */
    static final class Refused extends IOException {
        private final int status;

        Refused(int status, String message) {
            super("the Docker engine answered %d: %s".formatted(status, message));
            this.status = status;
        }

        int status() {
            return status;
        }
    }

    /** The answer was larger than the caller's bound. */
    static final class TooLarge extends RuntimeException {
        TooLarge(int maxBytes) {
            super("the Docker engine answered more than %d bytes".formatted(maxBytes));
        }
    }
}
