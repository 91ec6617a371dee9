package ai.molecule.runtime.mcp;

import ai.molecule.runtime.tools.InputNeeded;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * What a tool wants to know again when its caller comes back, kept by the caller: sealed, so that what comes back is what was given away, by whoever
 * has the same key, for the same tool, within {@value #KEPT_HOURS} hours.
 */
final class RequestState {

    private static final int KEPT_HOURS = 24;
    private static final int MAX_CHARS = 64 * 1024;
    private static final int OWN_KEY_BYTES = 32;
    private static final String ALGORITHM = "HmacSHA256";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final SecretKeySpec key;
    private final InstantSource clock;

    /** @param key whoever knows it can make a state */
    RequestState(byte[] key, InstantSource clock) {
        this.key = new SecretKeySpec(key.length == 0 ? new byte[1] : key, ALGORITHM);
        this.clock = clock;
    }

    /** What others made, and this process before its end, is none. */
    static RequestState ofThisProcess() {
        byte[] key = new byte[OWN_KEY_BYTES];
        new SecureRandom().nextBytes(key);
        return new RequestState(key, InstantSource.system());
    }

    String seal(String tool, InputNeeded needed) {
        ObjectNode content = JSON.createObjectNode()
                .put("tool", tool)
                .put("until", clock.instant().plus(Duration.ofHours(KEPT_HOURS)).toEpochMilli());
        content.set("state", needed.state());
        byte[] bytes = content.toString().getBytes(StandardCharsets.UTF_8);
        return text(bytes) + "." + text(mac(bytes));
    }

    /** @throws McpRefusal for what was not made for this */
    JsonNode open(String tool, String sealed) {
        return opened(sealed)
                .filter(content -> content.path("tool").asText().equals(tool)
                        && content.path("until").asLong() > clock.millis())
                .map(content -> content.path("state"))
                .orElseThrow(() -> McpRefusal.of(
                        McpRefusal.INVALID_PARAMS, "requestState is not of this call, or too old: call the tool anew"));
    }

    private Optional<JsonNode> opened(String sealed) {
        int dot = sealed.indexOf('.');
        if (dot < 0 || sealed.length() > MAX_CHARS) {
            return Optional.empty();
        }
        try {
            byte[] bytes = Base64.getUrlDecoder().decode(sealed.substring(0, dot));
            byte[] mac = Base64.getUrlDecoder().decode(sealed.substring(dot + 1));
            return MessageDigest.isEqual(mac, mac(bytes)) ? Optional.of(JSON.readTree(bytes)) : Optional.empty();
        } catch (JsonProcessingException | IllegalArgumentException notOurs) {
            return Optional.empty();
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private byte[] mac(byte[] bytes) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return mac.doFinal(bytes);
        } catch (GeneralSecurityException everyJdkHasIt) {
            throw new IllegalStateException(everyJdkHasIt);
        }
    }

    private static String text(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
