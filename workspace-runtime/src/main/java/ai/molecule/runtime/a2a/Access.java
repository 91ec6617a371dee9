package ai.molecule.runtime.a2a;

import ai.molecule.sdk.TokenStore;
import ai.molecule.sdk.WebPages;
import ai.molecule.sdk.identity.NotBelieved;
import ai.molecule.sdk.identity.PairToken;
import ai.molecule.sdk.identity.PairTokenCheck;
import ai.molecule.sdk.identity.Passport;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who may ask this agent, and whether it is this agent they mean.
 *
 * @param workspaceId what {@code X-Molecule-Target} must name, when it names one
 * @param tokens where the agent's own token is; read at each request that needs it, because it may change
 * @param callers believes the pair tokens that callers show
 * @param proof what callers must show
 */
public record Access(String workspaceId, TokenStore tokens, PairTokenCheck callers, CallerProof proof) {

    private static final Logger LOGGER = LoggerFactory.getLogger(Access.class);
    private static final String TARGET = "X-Molecule-Target";
    private static final String BEARER = "Bearer ";
    private static final int TARGET_SHOWN_CHARS = 64;

    /**
     * Completes at once unless the caller shows a pair token of a key that the platform has to be asked about, for which the request has to be
     * paused. Fails with an {@link HttpRefusal}: 401 without the token where one is needed, and for a pair token that is not believed; 503 for
     * one that nobody can judge yet, which the platform brings again.
     */
    Future<Void> check(Vertx vertx, Route route, HttpServerRequest request) {
        String shown = shownToken(request);
        boolean pair = PairTokenCheck.looksLikeOne(shown);
        return switch (route.guard()) {
            case OPEN -> Future.succeededFuture();
            case OWNER -> isOwn(shown) ? Future.succeededFuture() : pair ? checkPlatform(vertx, shown) : refused();
            case CALLER -> {
                if (pair) {
                    yield then(checkPair(vertx, shown, request), () -> checkPassport(vertx, request));
                }
                boolean heard = isHeardUnproven(request) || proof == CallerProof.ANY_TOKEN && isOwn(shown);
                yield heard ? checkPassport(vertx, request) : refused();
            }
        };
    }

    /** At once where the first is over already. */
    private static Future<Void> then(Future<Void> first, Supplier<Future<Void>> second) {
        return first.succeeded() ? second.get() : first.compose(done -> second.get());
    }

    /** What a message is allowed; empty where it came with none. To be asked when {@link #check} let the request in. */
    Optional<Passport> passportOf(HttpServerRequest request) {
        String shown = request.getHeader(Passport.HEADER);
        try {
            return shown == null ? Optional.empty() : Optional.of(callers.passport(shown));
        } catch (NotBelieved changedMeanwhile) {
            throw new HttpRefusal(403, "the passport is " + changedMeanwhile.reason());
        }
    }

    private Future<Void> checkPassport(Vertx vertx, HttpServerRequest request) {
        String shown = request.getHeader(Passport.HEADER);
        if (shown == null) {
            return Future.succeededFuture();
        }
        return judged(vertx, () -> callers.passport(shown), () -> callers.passportOrAsk(shown))
                .<Void>mapEmpty()
                .recover(refused -> refused instanceof NotBelieved why
                        ? Future.failedFuture(
                                new HttpRefusal(why.isUndecided() ? 503 : 403, "the passport is " + why.reason()))
                        : Future.failedFuture(refused));
    }

    @FunctionalInterface
    private interface Judgement<T> {
        T given() throws NotBelieved;
    }

    /** At once unless a key is unknown that the platform has to be asked about. */
    private static <T> Future<T> judged(Vertx vertx, Judgement<T> offline, Judgement<T> asking) {
        try {
            return Future.succeededFuture(offline.given());
        } catch (NotBelieved refused) {
            if (!refused.isKeyUnknown()) {
                return Future.failedFuture(refused);
            }
        }
        Promise<T> asked = Promise.promise();
        var context = vertx.getOrCreateContext();
        Thread.ofVirtual().name("platform-keys").start(() -> {
            try {
                T believed = asking.given();
                context.runOnContext(back -> asked.complete(believed));
            } catch (NotBelieved | RuntimeException refused) {
                context.runOnContext(back -> asked.fail(refused));
            }
        });
        return asked.future();
    }

    /** Nobody else, and not as long as that cannot be told. */
    private Future<Void> checkPlatform(Vertx vertx, String token) {
        return judged(vertx, () -> callers.check(token), () -> callers.checkOrAsk(token))
                .compose(
                        believed -> believed.caller().equals(PairToken.PLATFORM) ? Future.succeededFuture() : refused(),
                        notBelieved -> refused());
    }

    private boolean isHeardUnproven(HttpServerRequest request) {
        return switch (proof) {
            case NONE -> true;
            case ELSEWHERE -> isOfThisMachine(request.remoteAddress());
            case ANY_TOKEN, PAIR_TOKEN -> false;
        };
    }

    static boolean isOfThisMachine(@Nullable SocketAddress caller) {
        String address = caller == null ? null : caller.hostAddress();
        return address != null && InetAddress.ofLiteral(address).isLoopbackAddress();
    }

    private Future<Void> checkPair(Vertx vertx, String token, HttpServerRequest request) {
        return judged(vertx, () -> callers.check(token), () -> callers.checkOrAsk(token))
                .compose(
                        believed -> believed(believed, request),
                        refused -> refused instanceof NotBelieved why
                                ? notBelieved(why, request)
                                : Future.failedFuture(refused));
    }

    /** Who says no workspace speaks for a person, and that is for the platform alone to say. */
    private static Future<Void> believed(PairToken token, HttpServerRequest request) {
        String said = request.getHeader("X-Workspace-ID");
        return token.caller().equalsIgnoreCase(said == null ? PairToken.PLATFORM : said)
                ? Future.succeededFuture()
                : notBelieved("of another caller");
    }

    /** Who might have shown none is heard while nobody can tell. */
    private Future<Void> notBelieved(NotBelieved refused, HttpServerRequest request) {
        if (!refused.isUndecided()) {
            return notBelieved(refused.reason());
        }
        if (!callers.knowsKeys() && isHeardUnproven(request)) {
            return Future.succeededFuture();
        }
        LOGGER.atInfo().addKeyValue("reason", refused.reason()).log("pair token not judged");
        return Future.failedFuture(
                new HttpRefusal(503, "who calls cannot be told yet: the pair token is " + refused.reason()));
    }

    private static Future<Void> notBelieved(String reason) {
        LOGGER.atInfo().addKeyValue("reason", reason).log("pair token refused");
        return Future.failedFuture(new HttpRefusal(401, "unauthorized: the pair token is " + reason));
    }

    private static Future<Void> refused() {
        return Future.failedFuture(new HttpRefusal(401, "unauthorized"));
    }

    /** @throws HttpRefusal 403 for a page in a browser */
    void checkOrigin(HttpServerRequest request) {
        String host = request.authority() == null ? null : request.authority().toString();
        if (!WebPages.mayAsk(request.getHeader("Origin"), host, request.getHeader("X-Workspace-ID"))) {
            throw new HttpRefusal(403, "origin not allowed");
        }
    }

    /** @throws HttpRefusal 421 when another workspace is meant */
    void checkTarget(HttpServerRequest request) {
        String target = request.getHeader(TARGET);
        if (target != null && !target.equals(workspaceId)) {
            String shown = target.length() <= TARGET_SHOWN_CHARS ? target : target.substring(0, TARGET_SHOWN_CHARS);
            throw new HttpRefusal(421, "this is not workspace " + shown);
        }
    }

    /** Empty for none. */
    private static String shownToken(HttpServerRequest request) {
        String header = request.getHeader("Authorization");
        return header == null || !header.startsWith(BEARER) ? "" : header.substring(BEARER.length());
    }

    private boolean isOwn(String token) {
        byte[] shown = token.getBytes(StandardCharsets.UTF_8);
        try {
            return !token.isEmpty()
                    && tokens.load()
                            .filter(own -> MessageDigest.isEqual(shown, own.getBytes(StandardCharsets.UTF_8)))
                            .isPresent();
        } catch (UncheckedIOException unreadable) {
            LOGGER.atWarn().addKeyValue("reason", unreadable.getMessage()).log("own token cannot be read");
            return false;
        }
    }

    /** Without the token. */
    @Override
    public String toString() {
        return "Access[" + workspaceId + ", " + proof + "]";
    }
}
