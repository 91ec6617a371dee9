package ai.molecule.common.auth;

import java.util.Optional;
import java.util.UUID;

/**
 * On whose behalf something was asked, as a passport proved it.
 *
 * @param passportId its {@code jti}
 * @param principal as that one is known: {@code person:kim}, {@code admin-token}
 */
public record Behalf(UUID passportId, String principal) {

    private static final String PERSON = "person:";

    /** Of a principal that is a person, the login; what they say at a messenger is theirs: {@code person:kim (telegram)}. */
    public static Optional<String> login(String principal) {
        return principal.startsWith(PERSON)
                ? Optional.of(principal.substring(PERSON.length()).split(" ", 2)[0])
                : Optional.empty();
    }
}
