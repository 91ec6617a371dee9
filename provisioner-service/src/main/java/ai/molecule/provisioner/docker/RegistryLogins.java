package ai.molecule.provisioner.docker;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Who we are to registries, as {@code docker login} writes it down: {@code {"auths":{"<registry>":{"auth":"<base64 of
 * user:password>"}}}}. Credential helpers are not asked.
 */
record RegistryLogins(JsonNode auths) {

    /** @param config {@code MOLECULE_REGISTRY_AUTH}, usually by its file; {@link IllegalArgumentException} says what is wrong */
    static RegistryLogins of(@Nullable String config) {
        try {
            var auths = config == null
                    ? Json.object()
                    : Json.parse(config.getBytes(StandardCharsets.UTF_8)).path("auths");
            if (auths.isObject()) {
                return new RegistryLogins(auths);
            }
        } catch (IOException noJson) {
            // same answer as for JSON without logins
        }
        throw new IllegalArgumentException(
                "MOLECULE_REGISTRY_AUTH must be JSON with \"auths\", as docker login writes it");
    }

    /** The header for an image of a registry that we have a login for. */
    Optional<String> headerFor(String image) {
        int slash = image.indexOf('/');
        String registry = slash < 0 ? "" : image.substring(0, slash);
        var login = auths.path(registry);
        var parts = decoded(login.path("auth").asText("")).split(":", 2);
        if (parts.length < 2) {
            return Optional.empty();
        }
        var header = Json.object()
                .put("username", parts[0])
                .put("password", parts[1])
                .put("serveraddress", registry);
        return Optional.of(
                Base64.getUrlEncoder().encodeToString(header.toString().getBytes(StandardCharsets.UTF_8)));
    }

    private static String decoded(String auth) {
        try {
            return new String(Base64.getDecoder().decode(auth), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException noBase64) {
            return "";
        }
    }

    /** Without credentials: settings may end up in a log. */
    @Override
    public String toString() {
        return "RegistryLogins[" + auths.size() + "]";
    }
}
