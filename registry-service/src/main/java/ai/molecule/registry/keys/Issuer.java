package ai.molecule.registry.keys;

import ai.molecule.common.bus.registry.SignAuditHead;
import ai.molecule.common.bus.registry.SignNotification;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Objects;
import java.util.UUID;
import org.bouncycastle.crypto.params.Ed25519PrivateKeyParameters;
import org.bouncycastle.crypto.signers.Ed25519Signer;
import org.jspecify.annotations.Nullable;

/**
 * The one place where the organisation signs: compact JWS (RFC 7515) with Ed25519 (RFC 8037), each kind under a {@code typ} of its own, so
 * that none can be shown for another. BouncyCastle signs in a tenth of the time that the JDK takes.
 */
public record Issuer(OrganisationKeys keys, Clock clock) {

    static final String NAME = "molecule";
    static final String PAIR_TOKEN = "molecule-pair+jwt";
    static final String PASSPORT = "molecule-passport+jwt";
    static final String AUDIT_HEAD = "molecule-audit-head+jwt";
    static final String NOTIFICATION = "molecule-push+jwt";

    /** For clocks of receivers that are behind or before ours, and for a body that is slow. */
    private static final Duration NOTIFICATION_LIFE = Duration.ofMinutes(5);

    /** The {@code sub} of what the platform says for a person or by itself, and the {@code act} of what it carries for a workspace. */
    static final String PLATFORM = "platform";

    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

    /**
     * For one caller and one target.
     *
     * @param caller null for the platform
     * @param carried whether the platform shows it for the caller
     * @param branchVersion the newest change of who may talk to the target that was looked at
     */
    String pairToken(
            @Nullable UUID caller, UUID target, boolean carried, long branchVersion, Instant now, Duration life) {
        var claims = Json.object()
                .put("iss", NAME)
                .put("sub", caller == null ? PLATFORM : caller.toString())
                .put("aud", target.toString())
                .put("iat", now.getEpochSecond())
                .put("exp", now.plus(life).getEpochSecond())
                .put("jti", UUID.randomUUID().toString())
                .put("ver", branchVersion);
        if (carried && caller != null) {
            claims.putObject("act").put("sub", PLATFORM);
        }
        return sign(PAIR_TOKEN, claims);
    }

    /** On somebody's behalf, as {@code claims} say. */
    public String passport(ObjectNode claims) {
        return sign(PASSPORT, claims);
    }

    /** Serves {@link SignAuditHead}. */
    public Future<SignAuditHead.Signed> signHead(SignAuditHead head) {
        return Future.succeededFuture(new SignAuditHead.Signed(sign(
                AUDIT_HEAD,
                Json.object()
                        .put("iss", NAME)
                        .put("iat", clock.instant().getEpochSecond())
                        .put("seq", head.seq())
                        .put("hash", head.hash())
                        .put("at", Json.time(head.at())))));
    }

    /** Serves {@link SignNotification}; the digest is called as in the protocol's own samples. */
    public Future<SignNotification.Signed> signNotification(SignNotification notification) {
        var now = clock.instant();
        return Future.succeededFuture(new SignNotification.Signed(sign(
                NOTIFICATION,
                Json.object()
                        .put("iss", NAME)
                        .put("sub", notification.workspaceId().toString())
                        .put("aud", notification.audience())
                        .put("iat", now.getEpochSecond())
                        .put("exp", now.plus(NOTIFICATION_LIFE).getEpochSecond())
                        .put("jti", UUID.randomUUID().toString())
                        .put("request_body_sha256", notification.bodySha256()))));
    }

    /**
     * A signature beside what it is of (RFC 7515, appendix F): {@code {"protected", "signature"}}. The same bytes get the same one.
     *
     * @param jku where the key is published
     * @param payload what is signed, as whoever checks it will make it again
     */
    public ObjectNode signDetached(OrganisationKey key, String type, String jku, byte[] payload) {
        var header = Json.object()
                .put("alg", "EdDSA")
                .put("typ", type)
                .put("kid", key.kid())
                .put("jku", jku);
        String head = BASE64.encodeToString(Json.bytes(header));
        String signed = head + "." + BASE64.encodeToString(payload);
        return Json.object()
                .put("protected", head)
                .put("signature", BASE64.encodeToString(signature(Objects.requireNonNull(key.privateKey()), signed)));
    }

    private String sign(String type, ObjectNode claims) {
        var key = keys.signs();
        var header = Json.object().put("alg", "EdDSA").put("typ", type).put("kid", key.kid());
        String signed = BASE64.encodeToString(Json.bytes(header)) + "." + BASE64.encodeToString(Json.bytes(claims));
        return signed + "." + BASE64.encodeToString(signature(Objects.requireNonNull(key.privateKey()), signed));
    }

    private static byte[] signature(Ed25519PrivateKeyParameters key, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        var signer = new Ed25519Signer();
        signer.init(true, key);
        signer.update(bytes, 0, bytes.length);
        return signer.generateSignature();
    }
}
