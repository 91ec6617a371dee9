package ai.molecule.common.bus.registry;

import ai.molecule.common.bus.Contract;
import java.util.UUID;

/**
 * Proves to the receiver of a push notification that the platform sends it: the organisation's signature over whose task it tells of, for whom
 * it is and a digest of its body. Called by the proxy once for each attempt. Fails with UNAVAILABLE while there is no key.
 *
 * @param workspaceId whose task it is
 * @param audience the receiver's origin
 * @param bodySha256 of the body, in hexadecimal digits
 */
public record SignNotification(UUID workspaceId, String audience, String bodySha256) {

    public static final Contract<SignNotification, Signed> CONTRACT =
            Contract.of("registry.sign-notification", SignNotification.class, Signed.class);

    /** A compact JWS, which holds for five minutes. */
    public record Signed(String token) {

        @Override
        public String toString() {
            return "Signed[]"; // a token never reaches a log
        }
    }
}
