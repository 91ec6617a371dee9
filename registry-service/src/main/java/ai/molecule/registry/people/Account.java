package ai.molecule.registry.people;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Role;
import ai.molecule.common.json.Json;
import ai.molecule.registry.workspaces.FieldRules;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A person as the platform keeps it.
 *
 * @param login what it signs in with, in lower case
 * @param passwordHash null for one without a password
 * @param identity at a provider of OpenID Connect; null for none
 * @param signedInAt null for one that never did
 */
public record Account(
        UUID id,
        String login,
        String name,
        @Nullable String passwordHash,
        @Nullable Identity identity,
        boolean disabled,
        Instant createdAt,
        @Nullable Instant signedInAt,
        List<Grant> roles) {

    /** Who somebody is to a provider: the pair of both, and nothing else, is never another's. */
    public record Identity(String issuer, String subject) {}

    /**
     * Where a role counts: for the organisation, unless one of the two is named.
     *
     * @param branch the workspace at and below which it does
     * @param tenant the tenant at whose roots, and below them, it does
     */
    public record Grant(@Nullable UUID branch, @Nullable String tenant, Role role) {

        static Grant ofOrganisation(Role role) {
            return new Grant(null, null, role);
        }

        boolean isOfOrganisation() {
            return branch == null && tenant == null;
        }
    }

    private static final Pattern LOGIN = Pattern.compile("[a-z0-9][a-z0-9._+@-]{0,99}");
    private static final int NAME_MAX_BYTES = 200;

    /** As it is kept; fails with INVALID for what is none. */
    public static String login(String sent) {
        String login = sent.strip().toLowerCase(Locale.ROOT);
        if (!LOGIN.matcher(login).matches()) {
            throw ApiError.invalid(
                    "login must be a name or an e-mail address: at most 100 of a-z, 0-9 and ._+@-, beginning with a letter or digit");
        }
        return login;
    }

    public static String name(String sent) {
        String name = sent.strip();
        if (name.isEmpty()) {
            throw ApiError.invalid("name must not be empty");
        }
        FieldRules.checkShown("name", name, NAME_MAX_BYTES);
        return name;
    }

    /** Whether somebody can sign in as it at all. */
    boolean hasCome() {
        return passwordHash != null || identity != null;
    }

    boolean isOwner() {
        return !disabled
                && hasCome()
                && roles.stream().anyMatch(grant -> grant.isOfOrganisation() && grant.role() == Role.OWNER);
    }

    /** {@code {"id", "login", "name", "roles", "signs_in_with", "disabled", "created_at"[, "signed_in_at"]}}. */
    public ObjectNode toJson() {
        var body = Json.object().put("id", id.toString()).put("login", login).put("name", name);
        var granted = body.putArray("roles");
        for (var grant : roles) {
            var one = granted.addObject().put("role", grant.role().wire());
            if (grant.branch() != null) {
                one.put("branch", grant.branch().toString());
            }
            if (grant.tenant() != null) {
                one.put("tenant", grant.tenant());
            }
        }
        var ways = body.putArray("signs_in_with");
        if (passwordHash != null) {
            ways.add("password");
        }
        if (identity != null) {
            ways.add(identity.issuer());
        }
        body.put("disabled", disabled).put("created_at", Json.time(createdAt));
        return signedInAt == null ? body : body.put("signed_in_at", Json.time(signedInAt));
    }
}
