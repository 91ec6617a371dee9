package ai.molecule.canvas;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Who comes to a {@link StagedPlatform}: by its key or by name, and what whoever has a name may do, as the real one's {@link Doors} say. */
final class StagedDoor {

    private static final String TICKET = "a-ticket";

    private final StagedPlatform platform;

    /** Asked of everybody; null where nobody is asked. */
    volatile @Nullable String key;

    /** Who signs in by name, with the key for a password; null where nobody has a name. */
    volatile @Nullable JsonObject person;

    /** What was refused for want of a role. */
    final List<String> refused = new CopyOnWriteArrayList<>();

    StagedDoor(StagedPlatform platform) {
        this.platform = platform;
    }

    /** Whether it was answered: here people come and go, and others are sent away. */
    boolean answers(HttpServerRequest request) {
        String path = request.path();
        if (path.equals("/session")) {
            session(request);
            return true;
        }
        if (path.equals("/people/accept")) {
            request.body().onSuccess(body -> {
                platform.changes.add("POST " + path + " " + body);
                signIn(request);
            });
            return true;
        }
        if (key != null && !isSignedIn(request)) {
            refuse(request, 401, "admin auth required");
            return true;
        }
        if (path.equals("/ws/ticket")) {
            StagedPlatform.json(
                    request,
                    200,
                    JsonObject.of("ticket", TICKET, "expires_in", 30).toBuffer());
            return true;
        }
        var who = person;
        var refusal = who == null
                ? Optional.<Integer>empty()
                : Doors.refusal(request.method().name(), path, grants(who), platform::isBelow);
        refusal.ifPresent(status -> {
            refused.add(request.method() + " " + path);
            refuse(request, status, status == 403 ? "this asks for another role" : "workspace not found");
        });
        return refusal.isPresent();
    }

    /** Whether whoever signed in is shown an agent. */
    boolean shows(String id) {
        var who = person;
        return who == null
                || grants(who).stream()
                        .anyMatch(grant -> grant.branch() == null || platform.isBelow(grant.branch(), id));
    }

    /** A role for a tenant is one at each of its roots. */
    private List<Doors.Grant> grants(JsonObject person) {
        return person.getJsonArray("roles").stream()
                .map(JsonObject.class::cast)
                .flatMap(grant -> grant.containsKey("tenant")
                        ? platform.rootsOf(grant.getString("tenant")).stream()
                                .map(root -> new Doors.Grant(grant.getString("role"), root))
                        : Stream.of(new Doors.Grant(grant.getString("role"), grant.getString("branch"))))
                .toList();
    }

    /** The cookie alone is half of a session. */
    private boolean isSignedIn(HttpServerRequest request) {
        var cookie = request.getCookie("molecule_session");
        return cookie != null
                && cookie.getValue().equals("of-" + key)
                && ("half-of-" + key).equals(request.getHeader("X-Molecule-CSRF"));
    }

    boolean letsListen(String query) {
        return key == null || query.contains("ticket=" + TICKET);
    }

    private void session(HttpServerRequest request) {
        switch (request.method().name()) {
            case "GET" -> {
                boolean signedIn = key != null && isSignedIn(request);
                var said = JsonObject.of("required", key != null, "signed_in", signedIn);
                if (person != null) {
                    var providers = JsonArray.of(JsonObject.of("id", "work", "name", "Example Works"));
                    said.put("ways", JsonObject.of("password", true, "providers", providers));
                    if (signedIn) {
                        said.put("person", person);
                    }
                }
                StagedPlatform.json(request, 200, said.toBuffer());
            }
            case "POST" ->
                request.body().onSuccess(body -> {
                    String shown = person == null ? "token" : "password";
                    if (body.toJsonObject().getString(shown, "").equals(key)) {
                        signIn(request);
                    } else {
                        refuse(request, 401, "invalid admin auth token");
                    }
                });
            default -> {
                platform.changes.add("DELETE /session");
                request.response().putHeader("Set-Cookie", "molecule_session=; Path=/; HttpOnly; Max-Age=0");
                StagedPlatform.json(
                        request, 200, JsonObject.of("status", "signed out").toBuffer());
            }
        }
    }

    private void signIn(HttpServerRequest request) {
        request.response()
                .putHeader("Set-Cookie", "molecule_session=of-" + key + "; Path=/; HttpOnly; SameSite=Strict");
        StagedPlatform.json(
                request,
                201,
                JsonObject.of("status", "signed in", "csrf_token", "half-of-" + key)
                        .toBuffer());
    }

    private static void refuse(HttpServerRequest request, int status, String why) {
        StagedPlatform.json(request, status, JsonObject.of("error", why).toBuffer());
    }
}
