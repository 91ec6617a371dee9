package ai.molecule.common.bus.registry;

import ai.molecule.common.bus.Contract;
import java.time.Instant;

/**
 * Signs the end of the audit chain with the organisation's key. Called by events-service every hour and when it ends. Signing twice is
 * harmless. Fails with UNAVAILABLE while there is no key.
 *
 * @param seq of the last row that is linked
 * @param hash of it
 */
public record SignAuditHead(long seq, String hash, Instant at) {

    public static final Contract<SignAuditHead, Signed> CONTRACT =
            Contract.of("registry.sign-audit-head", SignAuditHead.class, Signed.class);

    /** The compact JWS, of the type {@code molecule-audit-head+jwt}. */
    public record Signed(String jws) {}
}
