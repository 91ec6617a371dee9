package ai.molecule.canvas;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** People as {@code GET /people} and {@code GET /session} have them. */
final class StagedPeople {

    private StagedPeople() {}

    /** @param branch null for the organisation */
    static JsonObject person(String name, String role, @Nullable String branch) {
        var grant = JsonObject.of("role", role);
        if (branch != null) {
            grant.put("branch", branch);
        }
        return new JsonObject()
                .put("id", "00000000-0000-4000-8000-0000000000" + Integer.toHexString(100 + name.charAt(0) % 100))
                .put("login", name.toLowerCase(Locale.ROOT) + "@example.org")
                .put("name", name)
                .put("roles", JsonArray.of(grant))
                .put("signs_in_with", JsonArray.of("password"))
                .put("disabled", false);
    }

    /** An owner and others. */
    static JsonObject everybody() {
        return JsonObject.of(
                "people",
                JsonArray.of(
                        person("Ada", "owner", null), person("Kim", "viewer", null), person("Sam", "operator", null)));
    }
}
