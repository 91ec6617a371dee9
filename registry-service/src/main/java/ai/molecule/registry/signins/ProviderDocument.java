package ai.molecule.registry.signins;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * What a provider says of itself, of {@code /.well-known/openid-configuration}.
 *
 * @param namesItself whether its answers carry {@code iss} (RFC 9207); then one without it is not its
 * @param secretInBody whether it takes a client's secret in the form only
 * @param endSession null where it ends no sessions for others
 */
record ProviderDocument(
        String authorization,
        String token,
        String keys,
        @Nullable String endSession,
        boolean namesItself,
        boolean secretInBody) {

    /** @throws WrongSignIn for one of another issuer, and for places that would be asked in clear */
    static ProviderDocument of(JsonNode said, OidcProvider provider) {
        if (!provider.issuer().equals(said.path("issuer").asText())) {
            throw new WrongSignIn("the provider's document names another issuer");
        }
        boolean basic = true;
        var methods = said.path("token_endpoint_auth_methods_supported");
        if (methods.isArray()) {
            basic = false;
            for (var method : methods) {
                basic |= method.asText().equals("client_secret_basic");
            }
        }
        String end = said.path("end_session_endpoint").asText("");
        return new ProviderDocument(
                place(said, "authorization_endpoint"),
                place(said, "token_endpoint"),
                place(said, "jwks_uri"),
                end.isEmpty() ? null : place(said, "end_session_endpoint"),
                said.path("authorization_response_iss_parameter_supported").asBoolean(false),
                !basic);
    }

    private static String place(JsonNode said, String member) {
        String place = said.path(member).asText("");
        try {
            if (OidcProvider.isSafe(URI.create(place))) {
                return place;
            }
        } catch (IllegalArgumentException malformed) {
            // said below
        }
        throw new WrongSignIn("the provider's document has no usable " + member);
    }
}
