package ai.molecule.registry.people;

import ai.molecule.common.auth.Tokens;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * A browser that signed in to an account by its password before. It proves that by a cookie, {@code <id>.<HMAC-SHA256>}, whose key is the hash of the
 * account's password: nobody outside has that, it is of that account alone, and another password ends the proof. It opens nothing: wrong
 * passwords from such a browser are counted by themselves (docs/adr/0124).
 */
final class KnownBrowser {

    private static final String ALGORITHM = "HmacSHA256";
    private static final int COOKIE_MAX_CHARS = 100;

    private KnownBrowser() {}

    /** The cookie of a browser that has just signed in to an account with a password. */
    static String cookie(Account account, String passwordHash) {
        String id = Tokens.mint();
        return id + "." + proof(account, passwordHash, id);
    }

    /** The id of the browser; empty for a cookie that is not of this account, or of an earlier password. */
    static Optional<String> find(@Nullable String cookie, Account account) {
        String passwordHash = account.passwordHash();
        int dot = cookie == null ? -1 : cookie.indexOf('.');
        if (cookie == null || dot < 0 || cookie.length() > COOKIE_MAX_CHARS || passwordHash == null) {
            return Optional.empty();
        }
        String id = cookie.substring(0, dot);
        return Tokens.same(cookie.substring(dot + 1), proof(account, passwordHash, id))
                ? Optional.of(id)
                : Optional.empty();
    }

    private static String proof(Account account, String passwordHash, String id) {
        try {
            var mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(passwordHash.getBytes(StandardCharsets.UTF_8), ALGORITHM));
            byte[] signed = mac.doFinal(("known browser " + account.id() + " " + id).getBytes(StandardCharsets.UTF_8));
            return Base64.getUrlEncoder().withoutPadding().encodeToString(signed);
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("this Java has no " + ALGORITHM, missing);
        }
    }
}
