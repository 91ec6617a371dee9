package ai.molecule.proxy.push;

import ai.molecule.common.json.Json;
import ai.molecule.proxy.protocol.Protocol;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where somebody wants to be told of a task. Everything that becomes a header is checked when it is taken in.
 *
 * @param id empty where the caller gives it none
 * @param token shown in {@code X-A2A-Notification-Token}
 * @param scheme of {@code Authorization}
 * @param credentials null for those that the platform makes: a token signed with the organisation's key
 * @param sealed token and credentials as they are stored, where they are not opened
 */
public record PushConfig(
        String id,
        String url,
        @Nullable String token,
        @Nullable String scheme,
        @Nullable String credentials,
        @Nullable String sealed) {

    static final String BEARER = "Bearer";
    static final int URL_MAX_CHARS = 2_048;
    static final int VALUE_MAX_CHARS = 4_096;
    private static final int ID_MAX_CHARS = 256;
    private static final Pattern SCHEME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}");

    /** What may stand in a header: no line end, which would begin another one, and nothing but ASCII. */
    private static final Pattern VALUE = Pattern.compile("[\\x20-\\x7e]{1,%d}".formatted(VALUE_MAX_CHARS));

    /** @param json of 0.3 {@code PushNotificationConfig}, of 1.0 {@code TaskPushNotificationConfig}; fails with {@link WrongPushParameter} */
    static PushConfig of(JsonNode json, String at, Protocol spoken) {
        String dot = at.isEmpty() ? "" : at + ".";
        if (!json.isObject()) {
            throw new WrongPushParameter(at.isEmpty() ? "params" : at, "must be an object");
        }
        String id = text(json, "id", dot, ID_MAX_CHARS);
        String url = text(json, "url", dot, URL_MAX_CHARS);
        if (url == null) {
            throw new WrongPushParameter(dot + "url", "is required");
        }
        String token = value(json, "token", dot);
        JsonNode authentication = json.path("authentication");
        String scheme = null;
        String credentials = null;
        if (json.hasNonNull("authentication")) {
            String in = dot + "authentication.";
            scheme = spoken == Protocol.V1_0 ? text(authentication, "scheme", in, 64) : first(authentication, in);
            String named = in + (spoken == Protocol.V1_0 ? "scheme" : "schemes");
            if (scheme == null || !SCHEME.matcher(scheme).matches()) {
                throw new WrongPushParameter(named, "must name a scheme of HTTP authentication");
            }
            credentials = value(authentication, "credentials", in);
            if (credentials == null && !scheme.equalsIgnoreCase(BEARER)) {
                throw new WrongPushParameter(
                        in + "credentials", "is required, the platform makes its own for Bearer alone");
            }
        }
        return new PushConfig(id == null ? "" : id, url, token, scheme, credentials, null);
    }

    /** A caller of 0.3 names all that its receiver takes; the credentials are one text, so they are of one scheme. */
    private static @Nullable String first(JsonNode authentication, String in) {
        List<String> named = new ArrayList<>();
        for (JsonNode scheme : authentication.path("schemes")) {
            if (!scheme.isTextual()) {
                throw new WrongPushParameter(in + "schemes", "must be a list of strings");
            }
            named.add(scheme.textValue());
        }
        return named.stream()
                .filter(scheme -> scheme.toLowerCase(Locale.ROOT).equals("bearer"))
                .findFirst()
                .orElse(named.isEmpty() ? null : named.getFirst());
    }

    private static @Nullable String value(JsonNode json, String name, String in) {
        String value = text(json, name, in, VALUE_MAX_CHARS);
        if (value != null && !VALUE.matcher(value).matches()) {
            throw new WrongPushParameter(
                    in + name, "must be printable ASCII without line ends, because it is sent in a header");
        }
        return value;
    }

    /** Null where nothing is said, which 1.0 writes as an empty text, too. */
    private static @Nullable String text(JsonNode json, String name, String in, int maxChars) {
        JsonNode value = json.path(name);
        if (!json.hasNonNull(name) || value.asText("?").isEmpty()) {
            return null;
        }
        if (!value.isTextual()
                || value.textValue().length() > maxChars
                || value.textValue().indexOf('\0') >= 0) {
            throw new WrongPushParameter(in + name, "must be a string of at most " + maxChars + " characters");
        }
        return value.textValue();
    }

    /** As it is shown to who asks for it: without what its receiver believes it by. */
    ObjectNode shown(String taskId, Protocol reader) {
        var config = Json.object().put("id", id);
        if (reader == Protocol.V1_0) {
            config.put("taskId", taskId);
        }
        config.put("url", url);
        if (scheme != null) {
            var authentication = config.putObject("authentication");
            if (reader == Protocol.V1_0) {
                authentication.put("scheme", scheme);
            } else {
                authentication.putArray("schemes").add(scheme);
            }
        }
        return reader == Protocol.V1_0
                ? config
                : Json.object().put("taskId", taskId).set("pushNotificationConfig", config);
    }
}
