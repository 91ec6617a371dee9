package ai.molecule.common.auth;

import java.util.UUID;

/**
 * On whose behalf something was asked, as a passport proved it.
 *
 * @param passportId its {@code jti}
 * @param principal as that one is known: {@code person:kim}, {@code admin-token}
 */
public record Behalf(UUID passportId, String principal) {}
