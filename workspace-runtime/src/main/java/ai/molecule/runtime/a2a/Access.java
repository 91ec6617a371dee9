package ai.molecule.runtime.a2a;

import ai.molecule.sdk.TokenStore;
import ai.molecule.sdk.WebPages;
import io.vertx.core.http.HttpServerRequest;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who may ask this agent, and whether it is this agent they mean.
 *
 * @param workspaceId what {@code X-Molecule-Target} must name, when it names one
 * @param tokens where the agent's own token is; read at each request that needs it, because it may change
 * @param tokenRequired whether callers must show it
 */
public record Access(String workspaceId, TokenStore tokens, boolean tokenRequired) {

    private static final Logger LOGGER = LoggerFactory.getLogger(Access.class);
    private static final String TARGET = "X-Molecule-Target";
    private static final String BEARER = "Bearer ";
    private static final int TARGET_SHOWN_CHARS = 64;

    /** @throws HttpRefusal 401 without the token where it is needed */
    void check(Route route, HttpServerRequest request) {
        boolean open = route.guard() == Route.Guard.OPEN || (route.guard() == Route.Guard.CALLER && !tokenRequired);
        if (!open && !showsToken(request)) {
            throw new HttpRefusal(401, "unauthorized");
        }
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

    private boolean showsToken(HttpServerRequest request) {
        String header = request.getHeader("Authorization");
        if (header == null || !header.startsWith(BEARER)) {
            return false;
        }
        byte[] shown = header.substring(BEARER.length()).getBytes(StandardCharsets.UTF_8);
        try {
            return tokens.load()
                    .filter(token -> MessageDigest.isEqual(shown, token.getBytes(StandardCharsets.UTF_8)))
                    .isPresent();
        } catch (UncheckedIOException unreadable) {
            LOGGER.atWarn().addKeyValue("reason", unreadable.getMessage()).log("own token cannot be read");
            return false;
        }
    }

    /** Without the token. */
    @Override
    public String toString() {
        return "Access[" + workspaceId + ", " + tokenRequired + "]";
    }
}
