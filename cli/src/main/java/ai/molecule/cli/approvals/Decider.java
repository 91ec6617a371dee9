package ai.molecule.cli.approvals;

import ai.molecule.cli.http.PlatformApi;
import ai.molecule.common.approvals.ShownDeciders;
import ai.molecule.common.auth.Role;
import ai.molecule.common.json.Json;
import ai.molecule.common.text.VisibleText;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Who decides at this terminal: whom the credential names.
 *
 * @param known whether the platform said
 * @param login null where the credential names nobody
 * @param role for the organization; null for none, and where it is not known
 */
public record Decider(
        boolean known, @Nullable String login, @Nullable Role role) {

    public static final Decider UNKNOWN = new Decider(false, null, null);

    private static final int OK = 200;
    private static final int UNAUTHENTICATED = 401;
    private static final int FORBIDDEN = 403;

    /** By what {@code GET /people/me} answered. */
    public static Decider of(PlatformApi.Answer answer) {
        if (answer.status() == UNAUTHENTICATED || answer.status() == FORBIDDEN) {
            return new Decider(true, null, null);
        }
        return answer.status() == OK && answer.body().getValue("login") instanceof String login
                ? new Decider(true, login, roleIn(answer.body()))
                : UNKNOWN;
    }

    /** Of somebody with roles for branches or tenants only, which role they have at an agent is not known here. */
    private static @Nullable Role roleIn(JsonObject person) {
        return person.getValue("roles") instanceof JsonArray roles
                ? roles.stream()
                        .filter(JsonObject.class::isInstance)
                        .map(JsonObject.class::cast)
                        .filter(role -> !role.containsKey("branch") && !role.containsKey("tenant"))
                        .flatMap(role -> Role.find(role.getString("role")).stream())
                        .max(Role::compareTo)
                        .filter(role -> roles.size() == 1)
                        .orElse(null)
                : null;
    }

    /** Of a row of the inbox or an approval; empty where no rule says who decides. */
    public static Optional<ShownDeciders> decidersOf(JsonObject details) {
        return details.getValue("deciders") instanceof JsonObject deciders
                ? ShownDeciders.of(Json.stored(deciders.encode()))
                : Optional.empty();
    }

    /** Why they do not decide it, as a sentence for a terminal; empty where they may, or nobody knows. */
    public Optional<String> whyNot(ShownDeciders deciders) {
        return known ? deciders.whyNot(login, role).map(VisibleText::line) : Optional.empty();
    }
}
