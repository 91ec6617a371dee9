package ai.molecule.common.auth;

import ai.molecule.common.bus.registry.VerifyToken;
import ai.molecule.common.bus.registry.VerifyToken.Verdict;
import io.vertx.core.Future;
import java.util.Base64;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What the guards ask about tokens: the registry answers from its tables, every other service through {@link BusCredentials}. */
public interface Credentials {

    /** Fails with {@code platform_unavailable} when nobody can answer now; it never guesses. */
    Future<Verdict> verify(VerifyToken question);

    /** @param token the bearer in clear, null when only the counts are wanted */
    default Future<Verdict> verify(@Nullable String token, @Nullable UUID workspaceId) {
        return verify(new VerifyToken(token == null ? null : hashOf(token), workspaceId));
    }

    /** As {@link VerifyToken} names a token. */
    static String hashOf(String token) {
        return Base64.getEncoder().encodeToString(Tokens.hash(token));
    }
}
