package ai.molecule.proxy.webhooks;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Signature;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.time.Instant;
import java.util.regex.Pattern;

/**
 * What a sender shows. GitHub signs the body alone ({@code X-Hub-Signature-256}); everybody else the time too ({@code X-Molecule-Signature}
 * over {@code <X-Molecule-Timestamp>.<body>}), as the platform's own notifications do, or as GitHub does.
 *
 * @param deliveryId as the sender named it
 */
record Proof(String deliveryId, String event, String signature, String timestamp) {

    private static final Duration AGE_MAX = Duration.ofMinutes(5);
    private static final Pattern NAME = Pattern.compile("[\\x21-\\x7e]{1,128}");
    private static final Pattern SECONDS = Pattern.compile("\\d{1,12}");

    /** Fails with INVALID where a delivery has no name. */
    static Proof of(MultiMap headers) {
        boolean ours = headers.contains("X-Molecule-Signature");
        String delivery = header(headers, ours ? "X-Molecule-Delivery" : "X-GitHub-Delivery");
        String event = header(headers, ours ? "X-Molecule-Event" : "X-GitHub-Event");
        if (!NAME.matcher(delivery).matches()) {
            throw ApiError.invalid(
                    "%s must name the delivery".formatted(ours ? "X-Molecule-Delivery" : "X-GitHub-Delivery"));
        }
        if (!event.isEmpty() && !NAME.matcher(event).matches()) {
            throw ApiError.invalid("%s must name the event".formatted(ours ? "X-Molecule-Event" : "X-GitHub-Event"));
        }
        return new Proof(
                delivery,
                event,
                header(headers, ours ? "X-Molecule-Signature" : "X-Hub-Signature-256"),
                ours ? header(headers, "X-Molecule-Timestamp") : "");
    }

    private static String header(MultiMap headers, String name) {
        String value = headers.get(name);
        return value == null ? "" : value;
    }

    static ApiError wrong() {
        return ApiError.unauthenticated("invalid webhook signature");
    }

    /** What the signature covers. */
    Buffer signed(Buffer body) {
        return timestamp.isEmpty() ? body : Buffer.buffer(timestamp + ".").appendBuffer(body);
    }

    /** Fails with UNAUTHENTICATED. */
    void check(String secret, Buffer body, Instant now) {
        if (!Signature.matches(secret, signed(body).getBytes(), signature)) {
            throw wrong();
        }
        if (!timestamp.isEmpty()) {
            boolean known = SECONDS.matcher(timestamp).matches();
            var age = known
                    ? Duration.between(Instant.ofEpochSecond(Long.parseLong(timestamp)), now)
                            .abs()
                    : AGE_MAX.plusSeconds(1);
            if (age.compareTo(AGE_MAX) > 0) {
                throw ApiError.unauthenticated("the delivery was signed more than 5 minutes from now");
            }
        }
    }
}
