package ai.molecule.registry.cards;

import ai.molecule.common.json.Json;
import ai.molecule.registry.canonical.Canonical;
import ai.molecule.registry.keys.Issuer;
import ai.molecule.registry.keys.OrganisationKey;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The organisation's signatures of what it shows: of each way in which those who check it read it, one ({@code docs/adr/0087}). Made once for
 * what is shown at one address, and again when another key signs. To be used on one event loop.
 */
public final class CardSignatures {

    /** {@code typ} of cards, as A2A 1.0 wants it (8.4.2). */
    static final String CARD = "JOSE";

    static final String CATALOG = "molecule-agents";

    private static final Logger LOGGER = LoggerFactory.getLogger(CardSignatures.class);

    /** About 500 bytes each. */
    private static final int REMEMBERED_MAX = 10_000;

    private record Made(String kid, String type, String jku, String payload) {}

    private final Issuer issuer;
    private final Cache<Made, ObjectNode> made = Caffeine.newBuilder()
            .maximumSize(REMEMBERED_MAX)
            .executor(Runnable::run)
            .build();

    public CardSignatures(Issuer issuer) {
        this.issuer = issuer;
    }

    /**
     * Adds {@code signatures} to what is shown. Nothing is added while there is no key, nor to what no canonical form has.
     *
     * @param readings what else than the whole text of {@code shown} is signed
     * @param platform where the platform was reached, without a slash at its end
     */
    void sign(ObjectNode shown, List<ObjectNode> readings, String type, String platform) {
        var key = issuer.keys().signing();
        if (key.isEmpty()) {
            return;
        }
        var all = new ArrayList<ObjectNode>();
        all.add(shown);
        all.addAll(readings);
        Set<ObjectNode> signatures = new LinkedHashSet<>();
        for (var reading : all) {
            Canonical.bytes(reading)
                    .ifPresentOrElse(
                            bytes -> signatures.add(signature(key.get(), type, platform, bytes)),
                            () -> LOGGER.atDebug().log("shown without a signature: it holds a number beyond doubles"));
        }
        if (!signatures.isEmpty()) {
            ArrayNode list = Json.MAPPER.createArrayNode();
            signatures.forEach(list::add);
            shown.set("signatures", list);
        }
    }

    private ObjectNode signature(OrganisationKey key, String type, String platform, byte[] payload) {
        String jku = platform + "/.well-known/jwks.json";
        return made.get(
                new Made(key.kid(), type, jku, sha256(payload)), of -> issuer.signDetached(key, type, jku, payload));
    }

    static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException everyJdkHasIt) {
            throw new AssertionError(everyJdkHasIt);
        }
    }
}
